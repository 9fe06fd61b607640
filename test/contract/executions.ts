import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import {
  afterStartOf,
  chain,
  created,
  decodePage,
  decodeRun,
  eventually,
  failing,
  idsOf,
  node,
  webhook
} from "./fixtures.ts"
import { TestedEngine } from "./TestedEngine.ts"

/** A workflow that ran well once, and then failed twice; the ids of its executions, newest first. */
const history = Effect.gen(function* () {
  const { id } = yield* created({
    nodes: [webhook(), node("noOp", "Work")],
    connections: chain("Webhook", "Work"),
    active: true
  })
  const good = decodeRun(yield* ask("execute_workflow", { id })).executionId
  yield* ask("update_workflow", { id, active: false })
  // At an address of its own, so that no call still reaches the form before.
  const broken = { nodes: [webhook(), failing()], connections: chain("Webhook", "Stop") }
  yield* ask("update_workflow", { id, ...broken, active: true })
  yield* afterStartOf(good)
  const bad = decodeRun(yield* ask("execute_workflow", { id })).executionId
  yield* afterStartOf(bad)
  const worse = decodeRun(yield* ask("execute_workflow", { id })).executionId
  return { workflowId: id, good, bad, worse }
})

const noExecution = 999_999_999

export const executions = (it: Suite) => {
  it.effect("list_executions shows the newest first, with numbers for ids, and filters them", () =>
    Effect.gen(function* () {
      const { bad, good, workflowId, worse } = yield* history
      const found = (more: object = {}) => Effect.map(ask("list_executions", { workflowId, ...more }), idsOf)
      assert.deepStrictEqual(yield* found(), [worse, bad, good])
      assert.deepStrictEqual(yield* found({ status: "error" }), [worse, bad])
      assert.deepStrictEqual(yield* found({ status: "success" }), [good])
      if ((yield* TestedEngine).isFrom("2.15.0")) assert.deepStrictEqual(yield* found({ status: "crashed" }), [])
      assert.deepStrictEqual(yield* found({ limit: 2 }), [worse, bad])
      assert.deepStrictEqual(idsOf(yield* ask("list_executions", { workflowId: "noSuchWorkflow" })), [])
    })
  )

  it.effect("list_executions continues the same list by its cursor", () =>
    Effect.gen(function* () {
      const { bad, workflowId, worse } = yield* history
      const first = decodePage(yield* ask("list_executions", { workflowId, status: "error", limit: 1 }))
      assert.deepStrictEqual(idsOf(first), [worse])
      const second = decodePage(yield* ask("list_executions", { cursor: first.nextCursor }))
      assert.deepStrictEqual(idsOf(second), [bad])
      assert.isUndefined(second.nextCursor)
    })
  )

  it.effect("list_executions filters by the time of their start, both ends included", () =>
    Effect.gen(function* () {
      const { bad, good, workflowId, worse } = yield* history
      const startOf = (id: number) => Effect.map(ask("get_execution", { id }), ({ startedAt }) => String(startedAt))
      const [early, late] = [yield* startOf(good), yield* startOf(bad)]
      const found = (more: object) => Effect.map(ask("list_executions", { workflowId, ...more }), idsOf)
      assert.deepStrictEqual(yield* found({ startedAfter: late }), [worse, bad])
      assert.deepStrictEqual(yield* found({ startedBefore: early }), [good])
      assert.deepStrictEqual(yield* found({ startedAfter: early, startedBefore: early }), [good])
      assert.deepStrictEqual(yield* found({ startedBefore: late.replace("Z", "+00:00"), status: "success" }), [good])
      assert.deepStrictEqual(yield* found({ startedAfter: "2999-01-01" }), [])

      const first = decodePage(yield* ask("list_executions", { workflowId, startedAfter: early, limit: 1 }))
      assert.deepStrictEqual(idsOf(first), [worse])
      const second = decodePage(yield* ask("list_executions", { cursor: first.nextCursor }))
      assert.deepStrictEqual(idsOf(second), [bad])
      for (const startedAfter of ["yesterday", "2026-11-20T09:00:00", "2026-02-30", "1e3", ""]) {
        const { code, message } = yield* refused("list_executions", { startedAfter })
        assert.strictEqual(code, -32602)
        assert.match(message, /^Invalid startedAfter: must be a date or a time with its zone/)
      }
    })
  )

  it.effect("execution data comes only when it is asked for, and never with the engine's stack traces", () =>
    Effect.gen(function* () {
      const { bad, workflowId } = yield* history
      assert.notProperty(yield* ask("get_execution", { id: bad }), "data")
      for (const { data } of decodePage(yield* ask("list_executions", { workflowId })).data) assert.isUndefined(data)

      const whole = yield* ask("get_execution", { id: bad, includeData: true })
      assert.include(whole, { id: bad, status: "error" })
      assert.nestedPropertyVal(whole, "data.resultData.error.message", "told to stop")
      assert.nestedPropertyVal(whole, "data.resultData.lastNodeExecuted", "Stop")
      const listed = yield* ask("list_executions", { workflowId, includeData: true })
      assert.nestedPropertyVal(listed, "data[1].data.resultData.error.message", "told to stop")
      for (const answer of [whole, listed]) assert.notMatch(JSON.stringify(answer), /"stack":/)
    })
  )

  it.effect("an unknown execution is not found, and the engine's own words stand beside that", () =>
    Effect.gen(function* () {
      for (const tool of ["get_execution", "delete_execution"]) {
        const { code, data, message } = yield* refused(tool, { id: noExecution })
        assert.deepStrictEqual(
          [code, message],
          [-32000, `API error: Execution not found (execution ${noExecution} on instance production)`]
        )
        assert.deepInclude(data, { code: "API_ERROR", httpStatus: 404, apiResponse: { message: "Not Found" } })
      }
    })
  )

  it.effect("delete_execution removes the record", () =>
    Effect.gen(function* () {
      const { bad, good, workflowId, worse } = yield* history
      const deleted = yield* ask("delete_execution", { id: bad })
      assert.include(deleted, { id: bad, message: `Execution ${bad} was deleted` })
      assert.nestedPropertyVal(deleted, "deleted.id", bad)
      assert.deepStrictEqual(idsOf(yield* ask("list_executions", { workflowId })), [worse, good])
      const { message } = yield* refused("get_execution", { id: bad })
      assert.strictEqual(message, `API error: Execution not found (execution ${bad} on instance production)`)
    })
  )

  it.effect("retry_execution runs a failed execution again, or says how to", () =>
    Effect.gen(function* () {
      const { isFrom, isV2 } = yield* TestedEngine
      const { bad, good, workflowId } = yield* history
      const retried = yield* ask("retry_execution", { id: bad })
      if (!isFrom("1.115.0")) {
        assert.deepStrictEqual(retried, {
          guidance:
            `This engine's API cannot retry executions. Open execution ${bad} in the engine UI and choose Retry, ` +
            "or call execute_workflow to run its workflow again."
        })
        return
      }
      assert.isNumber(retried.id)
      assert.include(retried, { mode: "retry", workflowId })
      assert.strictEqual(Number(retried.retryOf), bad)
      if (isV2) assert.include(retried, { status: "error" })
      assert.notMatch(JSON.stringify(retried), /"stack":/)
      yield* eventually(Effect.map(ask("list_executions", { workflowId }), idsOf), (ids) => ids[0] === retried.id)

      const succeeded = yield* refused("retry_execution", { id: good })
      assert.strictEqual(succeeded.message, "API error: The execution succeeded, so it cannot be retried.")
      assert.include(succeeded.data, { httpStatus: isV2 ? 409 : 400 })
      const unknown = yield* refused("retry_execution", { id: noExecution })
      assert.strictEqual(
        unknown.message,
        `API error: Execution not found (execution ${noExecution} on instance production)`
      )
    })
  )
}
