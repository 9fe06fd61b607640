import { Effect, Result } from "effect"

import { objectOf } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { failureOf, wordsOf } from "../../operator/explain/failure.ts"
import { jsonOf, nodeNamed, type RunData } from "../../operator/explain/runData.ts"
import type { FailedRun } from "../../operator/explain/subRuns.ts"
import { runForTest } from "../../operator/tests/runTest.ts"
import { WorkflowId } from "../../workflow/models.ts"
import { failedReplay } from "./failedRun.ts"

/** A caller of a sub-workflow, run with what the fixed sub-workflow gives. */
interface ProvenCaller {
  readonly isBroken: boolean
  readonly text: string
}

/** The items that a workflow gives back to its caller: those of the node that ran last. */
const givenBack = (data: RunData) =>
  data.runs.findLast(({ node }) => node === data.lastNode)?.outputs.find((items) => items.length > 0) ?? []

/**
 * Runs the callers of a sub-workflow, the innermost first: the node that called it answers what the fixed sub-workflow gives back. They
 * go on to their own ends, or the fix is none.
 */
export const provenCallers = Effect.fnUntraced(function* (
  callers: ReadonlyArray<FailedRun>,
  inner: RunData
): Effect.fn.Return<ReadonlyArray<ProvenCaller>, never, EngineClient> {
  const engine = yield* EngineClient
  const proven: Array<ProvenCaller> = []
  let answer = givenBack(inner)
  for (const { data, execution, failure } of callers.toReversed()) {
    const name = failure.at?.node ?? ""
    const id = String(execution.workflowId)
    const unproven = (why: string) => ({ isBroken: false, text: `Its caller ${id} is not proven: ${why}` })
    if (objectOf(nodeNamed(data, name)?.parameters).mode === "each") {
      return [...proven, unproven(`${name} calls it for each item, and only one of these calls is on record`)]
    }
    const read = yield* Effect.result(engine.getWorkflow(WorkflowId.make(id)))
    const whole = yield* Effect.result(engine.getExecution(execution.id, true))
    if (Result.isFailure(read)) return [...proven, unproven(read.failure.message)]
    if (Result.isFailure(whole)) return [...proven, unproven(whole.failure.message)]
    const replayed = yield* Effect.result(failedReplay(whole.success, read.success, undefined))
    if (Result.isFailure(replayed)) return [...proven, unproven(replayed.failure)]
    const { test } = replayed.success
    const ran = yield* runForTest({ ...test, mocks: { ...test.mocks, [name]: answer.map(jsonOf) } }, read.success)
    if (ran._tag === "NotRun") return [...proven, unproven(ran.what)]
    const wrong = failureOf(ran.data)
    if (ran.status !== "success") {
      const why = wrong === undefined ? ran.status : String(wordsOf(wrong.error, 200).message)
      return [...proven, { isBroken: true, text: `its caller ${id} fails at ${wrong?.at?.node ?? "its end"}: ${why}` }]
    }
    proven.push({ isBroken: false, text: `Its caller ${id} goes on with what it gives back, from ${name} on` })
    answer = givenBack(ran.data)
  }
  return proven
})
