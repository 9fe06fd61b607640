import { Effect, Option, Predicate } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import type { Execution, ExecutionId, ExecutionQuery } from "../../workflow/models.ts"
import { failureOf, kindOfMessage, messageOf } from "./failure.ts"
import { errorsOnly, isOutline } from "./readExecutions.ts"
import { runDataOf } from "./runData.ts"

/** Executions that are read to compare their errors; fewer if the one they are compared with is large. */
const mostCompared = 6
const mostLarge = 2

/** The last success before a failed run, and the failures since. */
export interface RelatedRuns {
  readonly lastSuccess: Execution | undefined
  /** Failed runs since that success, newest first, including the run itself. */
  readonly failures: ReadonlyArray<Execution>
  /** Whether there may be more than were listed. */
  readonly isMore: boolean
}

const page = 100

/** Lists the runs of the same workflow with which a failure is compared, without their data. */
export const relatedRunsOf = Effect.fnUntraced(function* (execution: Execution) {
  const engine = yield* EngineClient
  const workflowId = String(execution.workflowId)
  const startedBefore = String(execution.startedAt)
  const [successes, failures] = yield* Effect.all(
    [
      engine.listExecutions({ workflowId, status: "success", startedBefore, limit: 5 }),
      engine.listExecutions({ workflowId, status: "error", limit: page })
    ],
    { concurrency: 2 }
  )
  const lastSuccess = successes.data.find(({ id }) => id < execution.id)
  const since = failures.data.filter(({ id }) => lastSuccess === undefined || id > lastSuccess.id)
  return {
    lastSuccess,
    failures: since,
    isMore: since.length === failures.data.length && (failures.nextCursor ?? "") !== ""
  }
})

/** The newest run that failed: of one workflow, or of all. */
export const lastFailed = Effect.fnUntraced(function* (workflowId: string | undefined) {
  const failed = yield* newest("error", workflowId)
  // Older engines count crashes as errors, and refuse to be asked for them.
  const crashed = yield* Effect.orElseSucceed(newest("crashed", workflowId), () => undefined)
  return [failed, crashed].filter((run) => run !== undefined).sort((a, b) => b.id - a.id)[0]
})

/** The newest run of a workflow that was stopped or ran out of time; engines call both canceled. */
export const lastStopped = Effect.fnUntraced(function* (workflowId: string | undefined) {
  if (workflowId === undefined) return undefined
  const { data } = yield* EngineClient.use((engine) => engine.listExecutions({ workflowId, limit: 20 }))
  return data.find(wasStopped)
})

/** Whether a run was stopped or ran out of time; lists of older engines have no status, and their failures are listed apart. */
const wasStopped = ({ finished, status, stoppedAt, waitTill }: Execution): boolean =>
  status === undefined
    ? finished === false && Predicate.isString(stoppedAt) && !Predicate.isString(waitTill)
    : status === "canceled"

const newest = (status: NonNullable<ExecutionQuery["status"]>, workflowId: string | undefined) =>
  Effect.map(
    EngineClient.use((engine) =>
      engine.listExecutions({ ...(workflowId === undefined ? {} : { workflowId }), status, limit: 1 })
    ),
    ({ data }) => data[0]
  )

/**
 * Compares a failure with others of its workflow. Alike are those with the same error at the same node, apart from numbers
 * and ids.
 */
export const compareFailures = Effect.fnUntraced(function* (
  execution: Execution,
  { failures }: RelatedRuns,
  kind: string
) {
  const others = failures.filter(({ id }) => id !== execution.id)
  const chosen = spread(others, isOutline(execution) ? mostLarge : mostCompared)
  const kinds = yield* Effect.forEach(chosen, ({ id }) => Effect.option(kindOf(id)), { concurrency: 2 })
  const read = kinds.flatMap((kindRead, index) =>
    Option.isSome(kindRead) && kindRead.value !== undefined ? [{ kind: kindRead.value, run: chosen[index] }] : []
  )
  const alike = read.filter((failure) => failure.kind === kind).flatMap(({ run }) => (run === undefined ? [] : [run]))
  return { compared: read.length, alike }
})

/** The newest, the oldest, and some between them. */
const spread = <A>(all: ReadonlyArray<A>, most: number): ReadonlyArray<A> =>
  all.length <= most
    ? all
    : Array.from({ length: most }, (_, index) => Math.round((index * (all.length - 1)) / (most - 1))).flatMap((at) =>
        all.slice(at, at + 1)
      )

/** The key of the failure with which an execution ended. */
const kindOf = (id: ExecutionId): Effect.Effect<string | undefined, EngineError, EngineClient> =>
  Effect.map(
    EngineClient.use((engine) => engine.getExecution(id, true, errorsOnly)),
    (execution) => {
      const data = runDataOf(execution)
      const failure = data && failureOf(data)
      return failure === undefined ? undefined : failureKind(failure.at?.node, messageOf(failure.error))
    }
  )

/** A key that is equal for failures that are alike. */
export const failureKind = (node: string | undefined, message: string): string =>
  `${node ?? ""}: ${kindOfMessage(message)}`
