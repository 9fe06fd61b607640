import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"

import { protocolVersions, dates } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { FixtureServer } from "../../support/fixtures/FixtureServer.ts"
import { initialize, modernMeta } from "../../support/fixtures/messages.ts"
import { connect } from "../../support/fixtures/StdioClient.ts"

/** One of everything that can be asked in each revision. */
const questions: ReadonlyArray<readonly [method: string, params: object]> = [
  ["tools/list", {}],
  ["tools/call", { name: "echo", arguments: { text: "hello" } }],
  ["tools/call", { name: "test_multiple_content_types" }],
  ["tools/call", { name: "timeout", arguments: {} }],
  ["tools/call", { name: "unknown_instance" }],
  ["tools/call", { name: "defect" }],
  ["tools/call", { name: "no_such_tool" }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "test://static-text" }],
  ["resources/read", { uri: "test://static-binary" }],
  ["resources/read", { uri: "test://nowhere" }],
  ["prompts/list", {}],
  ["prompts/get", { name: "test_prompt_with_arguments", arguments: { arg1: "a", arg2: "b" } }],
  ["prompts/get", { name: "test_prompt_with_image" }],
  ["prompts/get", { name: "test_prompt_with_arguments" }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "test_simple_prompt" }, argument: { name: "a", value: "" } }
  ],
  [
    "completion/complete",
    { ref: { type: "ref/resource", uri: "test://template/{id}/data" }, argument: { name: "id", value: "o" } }
  ],
  ["logging/setLevel", { level: "info" }],
  ["no/such/method", {}],
  ["tools/list", { cursor: "nonsense" }],
  ["tools/call", {}]
]

layer(FixtureServer)("revisions", (it) => {
  for (const { date, era } of protocolVersions) {
    it.effect(`${date}: every answer is what its official schema says`, () =>
      Effect.gen(function* () {
        const client = yield* connect
        if (era === "legacy") {
          yield* client.send(initialize(date))
          assert.nestedPropertyVal(yield* client.receive, "result.protocolVersion", date)
        }
        for (const [method, params] of questions) {
          const reply = yield* client.request(method, era === "legacy" ? params : { ...params, _meta: modernMeta })
          assert.containsAllKeys(reply, ["jsonrpc", "id"], method)
        }
      })
    )
  }

  it.effect("settle on the one asked for, or else on the newest that has a handshake", () =>
    Effect.gen(function* () {
      for (const requested of [...dates, "2024-10-07", "2099-01-01", ""]) {
        const client = yield* connect
        yield* client.send(initialize(requested))
        const isOurs = dates.includes(requested) && requested !== "2026-07-28"
        assert.nestedPropertyVal(yield* client.receive, "result.protocolVersion", isOurs ? requested : "2025-11-25")
      }
    })
  )

  it.effect("decide what a listed tool shows", () =>
    Effect.gen(function* () {
      const features = Effect.fnUntraced(function* (version: string) {
        const client = yield* connect
        yield* client.send(initialize(version))
        yield* client.receive
        const reply = yield* client.request("tools/list")
        return Object.keys(Object(Object(reply).result.tools[0]))
      })
      assert.deepEqual(yield* features("2024-11-05"), ["name", "description", "inputSchema"])
      assert.deepEqual(yield* features("2025-03-26"), ["name", "description", "inputSchema", "annotations"])
      const whole = ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta"]
      assert.deepEqual(yield* features("2025-06-18"), whole)
      assert.deepEqual(yield* features("2025-11-25"), whole)
    })
  )

  it.effect("can be settled anew, and served between by modern requests", () =>
    Effect.gen(function* () {
      const client = yield* connect
      const discovered = yield* client.request("server/discover", { _meta: modernMeta })
      assert.deepNestedPropertyVal(discovered, "result.supportedVersions", dates)
      yield* client.send(initialize("2024-11-05", "a"))
      yield* client.receive
      const modern = yield* client.request("tools/list", { _meta: modernMeta })
      assert.nestedPropertyVal(modern, "result.resultType", "complete")
      yield* client.send(initialize("2025-11-25", "b"))
      yield* client.receive
      const legacy = yield* client.request("tools/call", { name: "echo", arguments: { text: "a" } })
      assert.nestedPropertyVal(legacy, "result.structuredContent.text", "a")
    })
  )
})
