import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { created, manual, node, unique } from "./fixtures.ts"

const decodeFound = Schema.decodeUnknownSync(
  Schema.Struct({
    nodes: Schema.Array(
      Schema.Struct({
        type: Schema.String,
        operation: Schema.optionalKey(Schema.String),
        used: Schema.optionalKey(Schema.Int)
      })
    )
  })
)

export const nodes = (it: Suite) => {
  it.effect("find_nodes finds the node and the operation for a task", () =>
    Effect.gen(function* () {
      const { nodes } = decodeFound(yield* ask("find_nodes", { query: "send a message to Slack" }))
      assert.deepInclude(nodes[0], { type: "n8n-nodes-base.slack", operation: "post" })
      const triggers = decodeFound(yield* ask("find_nodes", { text: "schedule", kind: "trigger" }))
      assert.strictEqual(triggers.nodes[0]?.type, "n8n-nodes-base.scheduleTrigger")
      const tools = decodeFound(yield* ask("find_nodes", { query: "slack", kind: "tool" }))
      assert.strictEqual(tools.nodes[0]?.type, "n8n-nodes-base.slackTool")
    })
  )

  it.effect("find_nodes counts how often a node is used on this instance", () =>
    Effect.gen(function* () {
      const used = Effect.map(
        ask("find_nodes", { query: "stop and error" }),
        (found) => decodeFound(found).nodes[0]?.used
      )
      const before = (yield* used) ?? 0
      yield* created({ nodes: [manual(), node("stopAndError", "Stop", { errorMessage: "no" })] })
      assert.isAbove((yield* used) ?? 0, before)
    })
  )

  it.effect("describe_node tells the parameters of the newest version, and of another on request", () =>
    Effect.gen(function* () {
      const newest = yield* ask("describe_node", { type: "engine-nodes-base.httpRequest" })
      assert.strictEqual(newest.type, "n8n-nodes-base.httpRequest")
      const lines = String(newest.parameters).split("\n")
      assert.isTrue(lines.some((line) => line.startsWith("url*: string")))
      assert.isTrue(lines.some((line) => /^method: .*POST.* = "GET"/.test(line)))
      assert.isTrue(
        lines.some((line) => line.startsWith("jsonBody: json [sendBody, contentType=json, specifyBody=json]"))
      )
      const older = yield* ask("describe_node", { type: "HTTP Request", version: 3 })
      assert.strictEqual(older.version, 3)
      assert.isAbove(Number(newest.version), 4)
    })
  )

  it.effect("describe_node tells what one operation needs, and which there are", () =>
    Effect.gen(function* () {
      const all = yield* ask("describe_node", { type: "Slack" })
      assert.match(JSON.stringify(all.operations), /"message":"[^"]*post/)
      assert.notMatch(String(all.parameters), /messageType/)
      const post = yield* ask("describe_node", { type: "Slack", operation: "post" })
      assert.deepInclude(post, { resource: "message", operation: "post" })
      assert.match(String(post.parameters), /^text\*: string \[messageType=text\]/m)
      assert.match(String(post.credentials), /slackApi\* \[authentication=accessToken\]/)
    })
  )

  it.effect("describe_node shows how a node is used on this instance, without its secrets", () =>
    Effect.gen(function* () {
      const errorMessage = unique("told to stop")
      const parameters = { errorMessage: `${errorMessage} Bearer abcdef1234567890abcdef` }
      yield* created({ nodes: [manual(), node("stopAndError", "Stop", parameters)] })
      const { example } = yield* ask("describe_node", { type: "stopAndError" })
      assert.property(example, "parameters")
      assert.notInclude(JSON.stringify(example), "abcdef1234567890")
    })
  )

  it.effect("describe_node takes nodes of this instance that came without parameters", () =>
    Effect.gen(function* () {
      const { parameters: _, ...bare } = node("stopAndError", "Bare")
      yield* created({ nodes: [manual(), bare] })
      assert.deepInclude(yield* ask("describe_node", { type: "stopAndError" }), { type: "n8n-nodes-base.stopAndError" })
    })
  )

  it.effect("describe_node names the types that were probably meant", () =>
    Effect.gen(function* () {
      const unknown = yield* refused("describe_node", { type: "n8n-nodes-base.slak" })
      assert.match(unknown.message, /has no node n8n-nodes-base\.slak: did you mean n8n-nodes-base\.slack/)
      const version = yield* refused("describe_node", { type: "n8n-nodes-base.code", version: 9 })
      assert.match(
        version.message,
        /n8n-nodes-base\.code has no version 9 on this engine\. Its versions: 1, 2 \(instance production\)$/
      )
      const operation = yield* refused("describe_node", { type: "Slack", resource: "message", operation: "pst" })
      assert.match(operation.message, /there is no pst: its values are .*Did you mean post\?/)
    })
  )
}
