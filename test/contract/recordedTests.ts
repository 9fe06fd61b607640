import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { shown } from "./TestedEngine.ts"
import { answer, chain, created, node, webhook } from "./things.ts"

const readJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** A request that fails at once, which its node goes on after. */
const request = (name: string) =>
  node(
    "httpRequest",
    name,
    { url: "http://127.0.0.1:9/never", options: {} },
    { typeVersion: 4.2, onError: "continueRegularOutput" }
  )

/** A workflow with a webhook, a request in its middle and one at its end, which ran once. */
const ran = Effect.fnUntraced(function* (data: Json = { name: "Ann" }) {
  const hook = webhook({ responseMode: "onReceived" })
  const workflow = yield* created({
    nodes: [
      hook,
      answer("Greet", "=Hello {{ $json.body.name }}"),
      request("Fetch"),
      answer("Say", "={{ $('Greet').first().json.said }}!"),
      request("Send")
    ],
    connections: chain("Webhook", "Greet", "Fetch", "Say", "Send"),
    active: true
  })
  const { executionId } = yield* ask("execute_workflow", { id: workflow.id, data })
  return { ...workflow, execution: executionId }
})

const recorded = (args: Json) =>
  Effect.map(ask("record_test", args), ({ text, ...told }) => ({ told, test: readJson(text) }))

const set = (name: string, value: string) => ({
  op: "set",
  node: name,
  path: "parameters.assignments.assignments[0].value",
  value
})

const twinsOf = (name: unknown) =>
  Effect.map(
    shown(`/workflows?limit=250&name=${encodeURIComponent(`Temporary run of ${String(name)}`)}`),
    ({ data }) => data
  )

export const recordedTests = (it: Suite) => {
  it.effect("record_test makes a test of a run, which run_tests passes without acting outside, leaving nothing", () =>
    Effect.gen(function* () {
      const { execution, id, name } = yield* ran()
      const { test, told } = yield* recorded({ execution })
      assert.deepInclude(told, { workflow: id, trigger: { node: "Webhook", items: 1 }, mocks: { Fetch: 1, Send: 1 } })
      assert.deepInclude(told, { expect: { Greet: "exact", Fetch: "runs", Say: "exact", Send: "runs" } })
      assert.deepNestedInclude(test, { "expect.Say": { exact: [{ said: "Hello Ann!" }] }, "trigger.node": "Webhook" })
      assert.deepInclude(yield* ask("run_tests", { test }), { passed: 1, total: 1 })
      assert.deepStrictEqual(yield* twinsOf(name), [])
    })
  )

  it.effect(
    "run_tests says where a changed workflow first differs from the recording, and saves nothing of the change",
    () =>
      Effect.gen(function* () {
        const { execution, id } = yield* ran()
        const { test } = yield* recorded({ execution })
        const was = yield* shown(`/workflows/${id}`)
        const result = yield* ask("run_tests", { test, id, operations: [set("Greet", "=Hi {{ $json.body.name }}")] })
        assert.deepInclude(result, { passed: 0, total: 1, summary: "0 passed, 1 failed" })
        assert.deepNestedInclude(result, {
          "notPassed[0].problems": [
            'first: Greet, item 1, said: expected "Hello Ann", got "Hi Ann"',
            'Say, item 1, said: expected "Hello Ann!", got "Hi Ann!"'
          ]
        })
        assert.deepStrictEqual((yield* shown(`/workflows/${id}`)).nodes, was.nodes)
      })
  )
}
