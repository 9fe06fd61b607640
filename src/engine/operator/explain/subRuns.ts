import { Effect, Option, Schema } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import { isWithin } from "../../workflow/executions.ts"
import { type Execution, ExecutionId, WorkflowId } from "../../workflow/models.ts"
import { subWorkflowOf } from "../../workflow/subWorkflows.ts"
import { childOf, failedTools, type Failure, failureOf } from "./failure.ts"
import { type FieldReference, fieldReferencesOf, firstLacking } from "./inputFields.ts"
import { originOf } from "./origin.ts"
import { readFailed } from "./readExecutions.ts"
import { nodeNamed, type RunData, runDataOf, textIn } from "./runData.ts"

/** The failure of a run, with what is needed to explain it. */
export interface FailedRun {
  readonly execution: Execution
  readonly data: RunData
  readonly failure: Failure
  readonly references: ReadonlyArray<FieldReference>
}

/** The failure of an execution; undefined where it has none on record. */
export const failedRunOf = (execution: Execution): FailedRun | undefined => {
  const data = runDataOf(execution)
  const failure = data && failureOf(data)
  if (data === undefined || failure === undefined) return undefined
  return { execution, data, failure, references: fieldReferencesOf({ data, input: failure.input }, failure.at?.node) }
}

/** Runs that start each other, which are followed to a failure. */
const mostRuns = 6

/**
 * A failed run and those in which it failed, each started by the one before, as far as they are on record. Of each, the item
 * is known that led to the failure, where the engine or the run that it started tells.
 */
export const failedRuns = Effect.fnUntraced(function* (
  top: FailedRun
): Effect.fn.Return<readonly [FailedRun, ...ReadonlyArray<FailedRun>], never, EngineClient> {
  const inner: Array<FailedRun> = []
  for (let run = yield* startedBy(top); run !== undefined && inner.length < mostRuns; run = yield* startedBy(run)) {
    inner.push(run)
  }
  const runs = inner.reduceRight<ReadonlyArray<FailedRun>>((after, run) => [withItem(run, after[0]), ...after], [])
  const first = withItem(top, runs[0])
  const { item } = first.failure
  if (item === undefined || top.failure.item !== undefined || runs.length === 0) return [first, ...runs]
  const again = yield* Effect.option(readFailed(top.execution.id, item))
  const closer = failedRunOf(Option.getOrElse(again, () => top.execution)) ?? top
  return [withItem(closer, runs[0]), ...runs]
})

/** Failures of an agent's tools that are explained. */
const mostTools = 3

/** The failures of an agent's tools in a run that went on, each with the runs in which it failed. */
export const failuresOfTools = Effect.fnUntraced(function* (execution: Execution) {
  const data = runDataOf(execution)
  if (data === undefined) return []
  return yield* Effect.forEach(failedTools(data).slice(0, mostTools), (failure) =>
    failedRuns({ execution, data, failure, references: [] })
  )
})

/** The failed run that the node that failed had started. */
const startedBy = Effect.fnUntraced(function* (run: FailedRun) {
  const stated = asExecutionId(childOf(run.failure)?.execution)
  const id = Option.isSome(stated) ? stated.value : yield* failedMeanwhile(run)
  if (id === undefined) return undefined
  const read = yield* Effect.option(readFailed(id))
  return Option.isNone(read) ? undefined : failedRunOf(read.value)
})

/** The one run of the called workflow that failed while the caller ran: engines do not always tell which run was started. */
const failedMeanwhile = Effect.fnUntraced(function* ({ data, execution, failure }: FailedRun) {
  const called = asWorkflowId(subWorkflowOf(nodeNamed(data, (failure.part ?? failure.at)?.node) ?? {})?.id)
  if (Option.isNone(called)) return undefined
  const failed = yield* Effect.option(
    EngineClient.use((engine) => engine.listExecutions({ workflowId: called.value, status: "error", limit: 50 }))
  )
  const { startedAt, stoppedAt } = execution
  const candidates = Option.match(failed, { onNone: () => [], onSome: (page) => page.data }).filter(
    (one) =>
      one.id > execution.id &&
      one.mode === "integrated" &&
      isWithin(one.startedAt, { startedAfter: textIn(startedAt), startedBefore: textIn(stoppedAt) })
  )
  return candidates.length === 1 ? candidates[0]?.id : undefined
})

const asWorkflowId = Schema.decodeUnknownOption(WorkflowId)

const asExecutionId = Schema.decodeUnknownOption(ExecutionId)

/** The run with the item that led to its failure: as it says itself, or as the run says that it started with its items. */
const withItem = (run: FailedRun, started: FailedRun | undefined): FailedRun => {
  const { failure } = run
  const item =
    failure.item ??
    (failure.input.length === 1 ? 0 : started === undefined ? undefined : itemBefore(started, failure.input.length))
  return item === undefined ? run : { ...run, failure: { ...failure, item } }
}

const itemBefore = ({ data, failure, references }: FailedRun, count: number): number | undefined => {
  const item = failure.item ?? firstLacking({ data, input: failure.input }, references)
  const origin = failure.at === undefined || item === undefined ? undefined : originOf(data, failure.at, item)
  return origin?.of === count ? origin.index : undefined
}
