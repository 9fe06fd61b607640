import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { AnswerLimit } from "../../../src/mcp/Tool.ts"
import { environment, type Json, OperatorServer, refused, serverOver } from "../../support/harness.ts"

const instance = "staging"
const hook = { name: "Hook", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} }

/** Calls that fail in every way but those that the contract words, with an id of the seeded engine where one is needed. */
const wrong: ReadonlyArray<readonly [tool: string, args: Json]> = [
  ["get_workflow", { id: "none" }],
  ["get_workflow", { id: "Kp3vQm8sXz1RtY7a", nodes: ["None"] }],
  ["update_workflow", { id: "Kp3vQm8sXz1RtY7a" }],
  ["update_workflow", { id: "Kp3vQm8sXz1RtY7a", name: "x", ifVersion: "none" }],
  ["create_workflow", { name: "x", nodes: [hook], tags: ["none"] }],
  ["get_execution", { id: 999_999_999 }],
  ["list_executions", { cursor: "none" }],
  ["get_tag", { id: "none" }],
  ["delete_credential", { id: "none" }],
  ["get_credential_schema", { type: "none" }],
  ["edit_workflow", { id: "Kp3vQm8sXz1RtY7a", operations: [{ op: "remove", node: "None" }] }],
  ["view_workflow", { id: "Kp3vQm8sXz1RtY7a", nodes: ["None"] }],
  ["run_workflow", { id: "Kp3vQm8sXz1RtY7a", to: "None" }],
  ["explain_execution", { id: 999_999_999 }],
  ["record_test", { workflow: "none" }],
  ["stop_execution", {}],
  ["describe_node", { type: "n8n-nodes-base.none" }]
]

describe("an error about one of several instances", () => {
  for (const [tool, args] of wrong) {
    it.live(`names it: ${tool} ${JSON.stringify(args)}`, () =>
      Effect.gen(function* () {
        const { message } = yield* refused(tool, { ...args, instance })
        assert.match(message, /\binstance staging\b/)
        assert.strictEqual(message.split("instance staging").length, 2, message)
      }).pipe(Effect.provide(OperatorServer))
    )
  }

  it.live("names it where two are compared", () =>
    Effect.gen(function* () {
      const { message } = yield* refused("compare_workflows", {
        a: "Wr1cLz9pMi6AoB8v",
        instances: ["production", instance],
        versionB: "published"
      })
      assert.match(message, /^Invalid versionB: .+ is not published: nothing of it runs \(instance staging\)$/)
    }).pipe(Effect.provide(OperatorServer))
  )

  it.live("names it where the answer is too large", () =>
    Effect.gen(function* () {
      const { message } = yield* refused("list_workflows", { instance })
      assert.match(message, /more than the limit of 50\. Give a smaller limit\. \(instance staging\)$/)
    }).pipe(Effect.provideService(AnswerLimit, 50), Effect.provide(OperatorServer))
  )

  it.live("has no need to where there is one", () =>
    Effect.gen(function* () {
      const { message } = yield* refused("update_workflow", { id: "Kp3vQm8sXz1RtY7a" })
      assert.strictEqual(message, "Invalid arguments: must hold at least one field to change")
    }).pipe(Effect.provide(one))
  )
})

const one = Layer.unwrap(
  Effect.map(EmbeddedEngine, ({ apiKey, host, httpClient }) =>
    serverOver(
      { production: environment(host, Redacted.value(apiKey)) },
      Layer.succeed(HttpClient.HttpClient, httpClient)
    )
  )
).pipe(Layer.provide(EmbeddedEngine.layer({ seed: true })))
