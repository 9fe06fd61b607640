import { assert, layer } from "@effect/vitest"
import { Effect, Logger, References } from "effect"

import { FixtureServer } from "../../support/fixtures/FixtureServer.ts"
import { initialize, modernRequest, request, toolCall } from "../../support/fixtures/messages.ts"
import { connect } from "../../support/fixtures/StdioClient.ts"

layer(FixtureServer)("errors", (it) => {
  it.effect("are the contract's JSON-RPC errors for every legacy revision and for bare calls", () =>
    Effect.gen(function* () {
      for (const version of [undefined, "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
        const client = yield* connect
        if (version !== undefined) {
          yield* client.send(initialize(version))
          yield* client.receive
        }
        const fail = (name: string) => Effect.andThen(client.send(toolCall(name)), client.receive)
        assert.deepNestedPropertyVal(yield* fail("unknown_instance"), "error", {
          code: -32602,
          message: "Instance moon not found. Available: production, staging",
          data: { code: "INSTANCE_NOT_FOUND", availableInstances: ["production", "staging"] }
        })
        assert.deepNestedPropertyVal(yield* fail("invalid_workflow"), "error", {
          code: -32602,
          message: "Duplicate node names found: A appears 2 times",
          data: { code: "VALIDATION_ERROR" }
        })
        assert.deepNestedPropertyVal(yield* fail("timeout"), "error", {
          code: -32000,
          message: "Connection timeout after 30000ms. Check instance availability.",
          data: { code: "TIMEOUT", instance: "production", milliseconds: 30_000 }
        })
      }
    })
  )

  it.effect("are results with the same text and the same data for modern requests", () =>
    Effect.gen(function* () {
      const client = yield* connect
      yield* client.send(modernRequest("tools/call", { name: "unknown_instance" }))
      const error = {
        error: {
          code: "INSTANCE_NOT_FOUND",
          message: "Instance moon not found. Available: production, staging",
          details: { availableInstances: ["production", "staging"] }
        }
      }
      const reply = yield* client.receive
      assert.nestedPropertyVal(reply, "result.isError", true)
      assert.deepNestedPropertyVal(reply, "result.structuredContent", error)
      assert.deepNestedPropertyVal(reply, "result.content", [
        { type: "text", text: error.error.message },
        { type: "text", text: JSON.stringify(error) }
      ])
    })
  )

  it.effect("show foreign text without anything that could turn or forge the text around it", () =>
    Effect.gen(function* () {
      const client = yield* connect
      yield* client.send(toolCall("refused"))
      const reply = yield* client.receive
      assert.nestedPropertyVal(reply, "error.message", "API error: bad\\u{202e} name [forged line]")
      assert.deepNestedPropertyVal(reply, "error.data.apiResponse", { message: "raw" })
    })
  )

  it.effect("of malformed requests are protocol errors in both eras", () =>
    Effect.gen(function* () {
      const client = yield* connect
      for (const make of [request, modernRequest]) {
        for (const [method, params] of [
          ["tools/call", { name: "no_such_tool" }],
          ["tools/call", { name: 1 }],
          ["tools/call", { name: "echo", arguments: [] }],
          ["tools/call", {}],
          ["prompts/get", { name: "no_such_prompt" }],
          ["prompts/get", { name: "test_prompt_with_arguments", arguments: { arg1: "a" } }],
          ["prompts/get", { name: "test_prompt_with_arguments", arguments: { arg1: "a", arg2: 2 } }],
          ["resources/read", {}],
          ["resources/list", { cursor: "b3V0IG9mIHNvbWV3aGVyZQ==" }],
          ["completion/complete", { ref: { type: "ref/tool", name: "echo" }, argument: { name: "a", value: "" } }],
          ["completion/complete", { ref: { type: "ref/prompt", name: "none" }, argument: { name: "a", value: "" } }]
        ] as const) {
          yield* client.send(make(method, params))
          assert.nestedPropertyVal(yield* client.receive, "error.code", -32602, `${method} ${JSON.stringify(params)}`)
        }
      }
    })
  )

  it.effect("cut what callers sent, and say by how much", () =>
    Effect.gen(function* () {
      const client = yield* connect
      const long = "x".repeat(2_000_000)
      for (const make of [request, modernRequest]) {
        for (const [method, params] of [
          ["tools/call", { name: long }],
          ["tools/call", { name: "echo", arguments: { [long]: 1 } }],
          [long, {}],
          ["resources/read", { uri: `engine://${long}` }]
        ] as const) {
          yield* client.send(make(method, params))
          const reply = JSON.stringify(yield* client.receive)
          assert.isBelow(reply.length, 15_000)
          assert.match(reply, /…\(199\d{4} characters left out\)…/)
        }
      }
    })
  )

  it.effect("name the tool that was probably meant", () =>
    Effect.gen(function* () {
      const client = yield* connect
      yield* client.send(toolCall("ecko"))
      assert.nestedPropertyVal(yield* client.receive, "error.message", "Unknown tool: ecko. Did you mean echo?")
    })
  )

  it.effect("of ours are logged with their cause, answered without it, and end nothing", () => {
    const logged: Array<string> = []
    const requests: Array<unknown> = []
    const capture = Logger.make<unknown, void>(({ fiber, message }) => {
      logged.push(String(message))
      requests.push(fiber.getRef(References.CurrentLogAnnotations)["request"])
    })
    const isBug = (answer: unknown) =>
      assert.deepNestedPropertyVal(answer, "error", {
        code: -32603,
        message: "Internal error",
        data: { code: "INTERNAL_ERROR", requestId: requests.at(-1) }
      })
    return Effect.gen(function* () {
      const client = yield* connect
      for (const make of [request, modernRequest]) {
        yield* client.send(make("tools/call", { name: "defect" }))
        isBug(yield* client.receive)
      }
      yield* client.send(toolCall("stopped"))
      isBug(yield* client.receive)
      assert.lengthOf(logged, 3)
      assert.lengthOf(new Set(requests), 3)
      for (const id of requests) assert.match(String(id), /^[0-9a-f]{16}$/)
      assert.include(logged[0], "secret internals")
      assert.notInclude(logged[0], "\n")
      yield* client.send(toolCall("echo", { text: "still here" }))
      assert.nestedPropertyVal(yield* client.receive, "result.content[0].text", `{"text":"still here"}`)
    }).pipe(Effect.provide(Logger.layer([capture])))
  })

  it.effect("for unknown resources have the code of their revision", () =>
    Effect.gen(function* () {
      const client = yield* connect
      yield* client.send(request("resources/read", { uri: "test://nowhere" }))
      const legacy = yield* client.receive
      assert.nestedPropertyVal(legacy, "error.code", -32002)
      assert.nestedPropertyVal(legacy, "error.data.uri", "test://nowhere")
      yield* client.send(modernRequest("resources/read", { uri: "test://nowhere" }))
      const modern = yield* client.receive
      assert.nestedPropertyVal(modern, "error.code", -32602)
      assert.nestedPropertyVal(modern, "error.data.uri", "test://nowhere")
    })
  )
})
