import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { everyDay, given, manual, unique } from "./fixtures.ts"
import { shown, TestedEngine } from "./TestedEngine.ts"

const missing = "noSuchThing01234"

export const errors = (it: Suite) => {
  it.effect("a key that the engine does not take is an authentication failure that shows no key", () =>
    Effect.gen(function* () {
      const calls = [
        ["list_workflows", {}],
        ["create_workflow", { name: "x", nodes: [manual()] }],
        ["delete_tag", { id: missing }],
        ["get_credential_schema", { type: "httpBasicAuth" }]
      ] as const
      for (const [tool, args] of calls) {
        const error = yield* refused(tool, { ...args, instance: "locked" })
        assert.strictEqual(error.code, -32000)
        assert.strictEqual(error.message, "API call failed for instance locked: Authentication failed. Check API key.")
        assert.include(error.data, { code: "AUTHENTICATION_ERROR", httpStatus: 401, instance: "locked" })
        assert.notInclude(JSON.stringify(error), "not-the-key")
      }
    })
  )

  it.effect("an instance that is not configured is named together with those that are", () =>
    Effect.gen(function* () {
      const { code, data, message } = yield* refused("get_workflow", { id: missing, instance: "moon" })
      assert.deepStrictEqual(
        [code, message],
        [-32602, "Instance moon not found. Available: production, staging, locked"]
      )
      assert.deepStrictEqual(data, {
        code: "INSTANCE_NOT_FOUND",
        availableInstances: ["production", "staging", "locked"]
      })
    })
  )

  it.effect("an unknown workflow is not found by any tool", () =>
    Effect.gen(function* () {
      const calls = [
        ["get_workflow", {}],
        ["update_workflow", { name: "x" }],
        ["delete_workflow", {}],
        ["activate_workflow", {}],
        ["deactivate_workflow", {}],
        ["execute_workflow", {}]
      ] as const
      for (const [tool, args] of calls) {
        const { code, data, message } = yield* refused(tool, { id: missing, ...args })
        assert.strictEqual(code, -32000, tool)
        assert.match(message, new RegExp(`^API error: .+ \\(workflow ${missing} on instance production\\)$`), tool)
        assert.include(data, { code: "API_ERROR", httpStatus: 404, instance: "production" }, tool)
      }
    })
  )

  it.effect("what the engine calls a bad request keeps its status and its words", () =>
    Effect.gen(function* () {
      const name = unique("never")
      const nodes = [{ ...manual(), parameters: {}, notes: 7 }]
      const { code, data, message } = yield* refused("create_workflow", { name, nodes })
      assert.strictEqual(code, -32000)
      assert.match(message, /^API error: request\/body\/nodes\/0\/notes /)
      assert.include(data, { code: "API_ERROR", httpStatus: 400, instance: "production" })
      assert.nestedProperty(data, "apiResponse.message")
      assert.deepStrictEqual((yield* shown(`/workflows?name=${name}`)).data, [])
    })
  )

  it.effect("no error shows the key that was sent", () =>
    Effect.gen(function* () {
      const { apiKey } = yield* TestedEngine
      const { id } = yield* given({ name: unique("workflow"), nodes: [everyDay()] })
      const errors = [
        yield* refused("get_workflow", { id: missing }),
        yield* refused("get_tag", { id: missing }),
        yield* refused("update_workflow", { id, settings: { executionTimeout: "soon" } })
      ]
      assert.notInclude(JSON.stringify(errors), apiKey)
    })
  )
}
