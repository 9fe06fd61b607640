import { Effect } from "effect"

import { grouped } from "../../../internal/collections.ts"
import { clipped } from "../../../internal/foreignText.ts"
import { maskText } from "../../../internal/secrets/maskSecrets.ts"
import { isoOf } from "../../../internal/time.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { firstPages } from "../../client/listAll.ts"
import { type Execution, ExecutionId, type Page, type PageQuery } from "../../workflow/models.ts"
import { failureOf, kindOfMessage, messageOf, wordsOf } from "../explain/failure.ts"
import { errorsOnly } from "../explain/readExecutions.ts"
import { runDataOf } from "../explain/runData.ts"
import { refusalOf } from "./credentialHealth.ts"
import type { Finding } from "./Finding.ts"
import { about } from "./missedRuns.ts"
import { type ErrorRead, expectationOf, type Observation, type WorkflowRun } from "./Observation.ts"
import { failsMore, inARow, noRuns } from "./runs.ts"
import type { Engine } from "./workflowFacts.ts"

/** Failed executions whose data is read for their errors, over one instance. */
const mostRead = 24

/** The failed runs by workflow, those with the most first. */
const byWorkflow = (failed: ReadonlyArray<WorkflowRun>) =>
  [...grouped(failed, ({ workflowId }) => workflowId)].sort(([, a], [, b]) => b.length - a.length)

/** The failed runs of which the errors are read: as many of each workflow as there is room for. */
export const worthReading = (failed: ReadonlyArray<WorkflowRun>): ReadonlyArray<WorkflowRun> => {
  const groups = byWorkflow(failed)
  const share = Math.max(Math.floor(mostRead / Math.max(groups.length, 1)), 1)
  return groups.slice(0, mostRead).flatMap(([, runs]) => runs.slice(0, share))
}

/** Reads the error of a failed execution. */
export const errorOf = (engine: Engine, execution: number): Effect.Effect<ErrorRead, EngineError> =>
  Effect.map(engine.getExecution(ExecutionId.make(execution), true, errorsOnly), (record) => {
    const data = runDataOf(record)
    const failure = data && failureOf(data)
    if (failure === undefined) return { execution, node: undefined, message: "no error on record", kind: "" }
    const message = String(wordsOf(failure.error, 160).message)
    return { execution, node: failure.at?.node, message, kind: kindOfMessage(messageOf(failure.error)) }
  })

/** Failures by workflow: their number, the first and the last, the last success, and the errors of those that were read. */
export const failures = (observation: Observation): ReadonlyArray<Finding> => {
  const workflows = new Map(observation.workflows.map((workflow) => [workflow.id, workflow]))
  return byWorkflow(observation.failed).map(([id, failed]) => {
    const workflow = workflows.get(id) ?? { id, name: id, credentials: [] }
    const past = observation.runs.get(id) ?? noRuns
    const errors = failed.flatMap((run) => observation.errors.get(run.id) ?? [])
    const times = failed.map(({ startedAt }) => isoOf(startedAt)).sort()
    const success = past.runs.find(({ status }) => status === "success")
    const [error] = errors
    const { failures: tolerated } = expectationOf(observation, workflow)
    const isMore = tolerated === undefined ? failsMore(past) : inARow(past.runs) > tolerated
    const at = error?.node === undefined ? "" : ` at the node ${clipped(error.node, 60)}`
    return {
      kind: "failures",
      ...about(workflow),
      ...causeOf(workflow.credentials, error),
      text: `failed ${failed.length === 1 ? "once" : `${failed.length} times`}${at}, last at ${times.at(-1)}`,
      row: {
        workflow: workflow.name,
        id,
        failures: failed.length,
        first: times[0],
        last: times.at(-1),
        ...(past === noRuns
          ? {}
          : { lastSuccess: success === undefined ? "none on record" : isoOf(success.startedAt) }),
        ...(isMore ? {} : { usual: true }),
        ...(errors.length === 0 ? {} : { errors: counted(errors) }),
        ...(errors.length < failed.length ? { read: errors.length } : {})
      },
      ...(isMore ? {} : { isUsual: true })
    }
  })
}

/** Words by which services refuse whoever asks. */
const refusing = /\b40[13]\b|unauthori[sz]ed|forbidden|authenticat|invalid (?:credential|api key|token)|password/i

/** A credential that was refused is the cause of all that fails for it. */
const causeOf = (
  credentials: ReadonlyArray<{ readonly id: string; readonly name: string; readonly node: string }>,
  error: ErrorRead | undefined
): Pick<Finding, "cause"> => {
  const used = credentials.find(({ node }) => node === error?.node)
  return used === undefined || error === undefined || !refusing.test(error.message) ? {} : { cause: refusalOf(used) }
}

/** Errors grouped by node and kind, the commonest first, each with its newest execution. */
const counted = (all: ReadonlyArray<ErrorRead>) => {
  const groups = grouped(all, ({ kind, node = "" }) => `${node}: ${kind}`)
  return [...groups.values()]
    .sort((a, b) => b.length - a.length)
    .flatMap(([first, ...rest]) =>
      first === undefined
        ? []
        : [
            {
              ...(first.node === undefined ? {} : { node: clipped(first.node, 60) }),
              message: maskText(first.message),
              count: rest.length + 1,
              execution: first.execution
            }
          ]
    )
    .slice(0, 3)
}

/** Pages that are read of a list. */
const mostPages = 4

interface Listed {
  readonly runs: ReadonlyArray<Execution>
  readonly isMore: boolean
}

/** The executions of a list since a time, as many as a few pages hold; older engines list earlier ones as well. */
export const executionsSince = (
  list: (query: PageQuery) => Effect.Effect<Page<Execution>, EngineError>,
  startedAfter: string,
  pages = mostPages
): Effect.Effect<Listed, EngineError> => {
  const from = Date.parse(startedAfter)
  return Effect.map(
    firstPages(list, { pages, isEnough: (later, all) => later < all }, (executions) =>
      executions.filter(({ startedAt }) => Date.parse(String(startedAt)) >= from)
    ),
    ({ matches: runs, isWhole }) => ({ runs, isMore: !isWhole })
  )
}
