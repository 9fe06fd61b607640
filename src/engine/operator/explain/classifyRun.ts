import { Effect, Option } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import type { Execution } from "../../workflow/models.ts"
import { wasAnswered } from "./explainFailure.ts"
import { failureClassOf } from "./failureRules.ts"
import { type FailedRun, failedRunOf, failedRuns } from "./subRuns.ts"

/** The class of a failed run that was read, with the runs in which it failed, as far as they are on record. */
export const classifyRun = Effect.fnUntraced(function* (execution: Execution) {
  const failed = failedRunOf(execution)
  const chain: ReadonlyArray<FailedRun> = failed === undefined ? [] : yield* failedRuns(failed)
  const name = failureClassOf(execution, chain.at(-1))
  if (name !== "address wrong" || failed === undefined || chain.length > 1) return { chain, class: name }
  // A host whose name cannot be resolved is a wrong one, unless the same node has been answered before.
  const success = yield* lastSuccess(execution)
  return { chain, class: failureClassOf(execution, failed, { wasAnswered: wasAnswered(failed, success) }) }
})

const lastSuccess = Effect.fnUntraced(function* ({ id, workflowId }: Execution) {
  const engine = yield* EngineClient
  const page = yield* Effect.option(
    engine.listExecutions({ workflowId: String(workflowId), status: "success", limit: 20 })
  )
  const last = Option.isNone(page) ? undefined : page.value.data.find((one) => one.id < id)
  return last === undefined
    ? undefined
    : Option.getOrUndefined(yield* Effect.option(engine.getExecution(last.id, true)))
})
