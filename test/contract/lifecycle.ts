import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { answer, chain, created, failing, idsOf, tagged, webhook } from "./fixtures.ts"
import { TestedEngine } from "./TestedEngine.ts"

const decodeRun = Schema.decodeUnknownSync(Schema.Struct({ executionId: Schema.Int, status: Schema.String }))

export const lifecycle = (it: Suite) => {
  it.effect("a workflow lives from its creation to the retry of its failure, and is deleted", () =>
    Effect.gen(function* () {
      const { isFrom, isV2 } = yield* TestedEngine
      const tag = yield* tagged()
      const { active, id, tags } = yield* created({
        nodes: [webhook(), answer("Answer", "={{ $json.body.name }}")],
        connections: chain("Webhook", "Answer"),
        tags: [tag.id],
        active: true
      })
      assert.isTrue(active)
      assert.nestedPropertyVal({ tags }, "tags[0].name", tag.name)
      assert.deepStrictEqual(idsOf(yield* ask("list_workflows", { active: true, tags: [tag.name] })), [id])

      const run = yield* ask("execute_workflow", { id, data: { name: "Ann" } })
      assert.deepNestedInclude(run, { status: "success", "response.httpStatus": 200, "response.body": { said: "Ann" } })
      const { executionId } = decodeRun(run)
      assert.deepStrictEqual(idsOf(yield* ask("list_executions", { workflowId: id })), [executionId])

      // At an address of its own, so that no call still reaches the form before.
      yield* ask("update_workflow", { id, nodes: [webhook(), failing()], connections: chain("Webhook", "Stop") })
      yield* ask("deactivate_workflow", { id })
      assert.isFalse((yield* ask("get_workflow", { id })).active)
      assert.isTrue((yield* ask("activate_workflow", { id })).active)

      const failed = yield* ask("execute_workflow", { id })
      assert.deepNestedInclude(failed, { status: "error", "response.httpStatus": 500 })
      const failure = decodeRun(failed).executionId
      const record = yield* ask("get_execution", { id: failure, includeData: true })
      assert.nestedPropertyVal(record, "data.resultData.error.message", "told to stop")
      assert.deepStrictEqual(idsOf(yield* ask("list_executions", { workflowId: id, status: "error" })), [failure])

      const retried = yield* ask("retry_execution", { id: failure })
      if (isFrom("1.115.0")) {
        assert.deepInclude(retried, { mode: "retry" })
        assert.strictEqual(Number(retried.retryOf), failure)
        assert.doesNotHaveAnyKeys(retried, ["data", "workflowData"])
        if (isV2) assert.include(retried, { status: "error" })
      } else assert.property(retried, "guidance")

      assert.include(yield* ask("delete_execution", { id: failure }), { id: failure })
      assert.include(yield* ask("delete_workflow", { id }), { id, message: `Workflow ${id} was deleted` })
      const { message } = yield* refused("get_workflow", { id })
      assert.strictEqual(message, `API error: Not Found (workflow ${id} on instance production)`)
      assert.deepStrictEqual(idsOf(yield* ask("list_executions", { workflowId: id })), [])
    })
  )
}
