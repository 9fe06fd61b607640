import { Effect } from "effect"

import { grouped } from "../../../internal/collections.ts"
import { clipped } from "../../../internal/foreignText.ts"
import { maskText } from "../../../internal/secrets/maskSecrets.ts"
import { isoOf, minuteOf } from "../../../internal/time.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { firstPages } from "../../client/listAll.ts"
import { type Execution, ExecutionId, type Page, type PageQuery } from "../../workflow/models.ts"
import { classifyRun } from "../explain/classifyRun.ts"
import { messageOf, wordsOf } from "../explain/failure.ts"
import { readFailed } from "../explain/readExecutions.ts"
import { failureKind } from "../explain/relatedRuns.ts"
import { causeOf } from "./failureCause.ts"
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

/** Reads the error of a failed run, with its class and what it has in common with others. */
export const readError = (
  engine: Engine,
  run: WorkflowRun,
  workflow: { readonly id: string; readonly name: string }
): Effect.Effect<ErrorRead, EngineError> =>
  Effect.gen(function* () {
    const execution = yield* readFailed(ExecutionId.make(run.id))
    const { chain, class: name } = yield* classifyRun(execution)
    const [outermost] = chain
    const cause = causeOf(name, chain, { isCalled: run.mode === "integrated", workflow })
    const head = { execution: run.id, class: name, ...(cause === undefined ? {} : { cause }) }
    if (outermost === undefined) return { ...head, node: undefined, message: "no error on record", kind: "" }
    const { at, error } = outermost.failure
    const message = String(wordsOf(error, 160).message)
    return { ...head, node: at?.node, message, kind: failureKind(at?.node, messageOf(error)) }
  }).pipe(Effect.provideService(EngineClient, engine))

/** Failures by workflow: their number, the first and the last, the last success, and the errors of those that were read. */
export const failures = (observation: Observation): ReadonlyArray<Finding> => {
  const workflows = new Map(observation.workflows.map((workflow) => [workflow.id, workflow]))
  return byWorkflow(observation.failed).map(([id, failed]) => {
    const workflow = workflows.get(id) ?? { id, name: id }
    const past = observation.runs.get(id) ?? noRuns
    const errors = failed.flatMap((run) => observation.errors.get(run.id) ?? [])
    const times = failed.map(({ startedAt }) => isoOf(startedAt)).sort()
    const last = Math.max(...failed.map(({ startedAt }) => startedAt))
    const success = past.runs.find(({ status }) => status === "success")
    const [error] = errors
    const { failures: tolerated } = expectationOf(observation, workflow)
    const isMore = tolerated === undefined ? failsMore(past) : inARow(past.runs) > tolerated
    const at = error?.node === undefined ? "" : ` at the node ${clipped(error.node, 60)}`
    const named = error === undefined || error.class === "unknown" ? "" : ` (${error.class})`
    return {
      kind: "failures",
      ...about(workflow),
      ...(error?.cause === undefined ? {} : { cause: error.cause }),
      text: `failed ${failed.length === 1 ? "once" : `${failed.length} times`}${at}${named}, last at ${minuteOf(last)}`,
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

/** Errors that are alike, the commonest first, each with its newest execution. */
const counted = (all: ReadonlyArray<ErrorRead>) => {
  const groups = grouped(all, (error) => `${error.class}: ${error.kind}`)
  return [...groups.values()]
    .sort((a, b) => b.length - a.length)
    .flatMap(([first, ...rest]) =>
      first === undefined
        ? []
        : [
            {
              ...(first.node === undefined ? {} : { node: clipped(first.node, 60) }),
              message: maskText(first.message),
              ...(first.class === "unknown" ? {} : { class: first.class }),
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
