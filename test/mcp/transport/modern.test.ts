import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"

import { FixtureServer, Gate } from "../../support/fixtures/FixtureServer.ts"
import { connect } from "../../support/fixtures/HttpClient.ts"
import {
  initialize,
  modernHeaders,
  modernMeta,
  modernRequest,
  notification,
  request,
  toolCall
} from "../../support/fixtures/messages.ts"

const echo = modernRequest("tools/call", { name: "echo", arguments: { text: "hello" } })

layer(FixtureServer)("modern requests over HTTP", (it) => {
  it.effect("are served one by one, each result complete and signed", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const { messages, status } = yield* client.send(echo, modernHeaders("tools/call", "echo"))
      assert.strictEqual(status, 200)
      assert.deepNestedPropertyVal(messages[0], "result", {
        resultType: "complete",
        content: [{ type: "text", text: `{"text":"hello"}` }],
        structuredContent: { text: "hello" },
        _meta: {
          "io.modelcontextprotocol/serverInfo": { name: "fixture-server", title: "Fixture server", version: "1.2.3" }
        }
      })
    })
  )

  it.effect("learn from server/discover what there is, and may keep lists but no contents", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const ask = Effect.fnUntraced(function* (method: string, params: object = {}, name?: string) {
        const { messages } = yield* client.send(modernRequest(method, params), modernHeaders(method, name))
        return Object(messages[0]).result
      })
      const discovered = yield* ask("server/discover")
      assert.deepEqual(discovered.supportedVersions, [
        "2026-07-28",
        "2025-11-25",
        "2025-06-18",
        "2025-03-26",
        "2024-11-05"
      ])
      assert.deepEqual(discovered.capabilities, {
        tools: { listChanged: true },
        resources: { subscribe: true },
        prompts: {},
        completions: {}
      })
      for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
        assert.deepInclude(yield* ask(method), { ttlMs: 300_000, cacheScope: "private" })
      }
      const uri = "test://static-text"
      assert.deepInclude(yield* ask("resources/read", { uri }, uri), { ttlMs: 0, cacheScope: "private" })
    })
  )

  it.effect("answer unknown and removed methods with 404", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      for (const method of ["initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"]) {
        const { messages, status } = yield* client.send(modernRequest(method, {}, "x"), modernHeaders(method))
        assert.strictEqual(status, 404, method)
        assert.nestedPropertyVal(messages[0], "error.code", -32601)
        assert.nestedPropertyVal(messages[0], "id", "x")
      }
    })
  )

  it.effect("must say which revision they speak and what the client can do", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const { "io.modelcontextprotocol/clientCapabilities": _, ...onlyVersion } = modernMeta
      for (const params of [
        undefined,
        {},
        { _meta: {} },
        { _meta: onlyVersion },
        { _meta: { ...modernMeta, "io.modelcontextprotocol/clientCapabilities": 1 } }
      ]) {
        const { messages, status } = yield* client.send(request("tools/list", params), modernHeaders("tools/list"))
        assert.strictEqual(status, 400)
        assert.nestedPropertyVal(messages[0], "error.code", -32602)
      }
    })
  )

  it.effect("in a revision that does not exist are told those that do", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const version = "2031-01-01"
      const _meta = { ...modernMeta, "io.modelcontextprotocol/protocolVersion": version }
      const headers = { ...modernHeaders("tools/list"), "mcp-protocol-version": version }
      for (const message of [request("tools/list", { _meta }), request("tools/list")]) {
        const { messages, status } = yield* client.send(message, headers)
        assert.strictEqual(status, 400)
        assert.nestedPropertyVal(messages[0], "error.code", -32022)
        assert.nestedPropertyVal(messages[0], "error.data.requested", version)
        assert.nestedPropertyVal(messages[0], "error.data.supported[0]", "2026-07-28")
      }
    })
  )

  it.effect("are refused when their headers say something else", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const good = modernHeaders("tools/call", "echo")
      for (const headers of [
        {},
        { ...good, "mcp-protocol-version": "2025-11-25" },
        { "mcp-protocol-version": "2026-07-28", "mcp-name": "echo" },
        { ...good, "mcp-method": "tools/list" },
        { ...good, "mcp-method": "TOOLS/CALL" },
        modernHeaders("tools/call"),
        modernHeaders("tools/call", "wait"),
        modernHeaders("tools/call", "=?base64?d2FpdA==?="),
        modernHeaders("tools/call", "=?base64?not base64?="),
        modernHeaders("tools/call", "=?base64?ZWNobw==")
      ]) {
        const { messages, status } = yield* client.send(echo, headers)
        assert.strictEqual(status, 400, JSON.stringify(headers))
        assert.nestedPropertyVal(messages[0], "error.code", -32020)
        assert.nestedPropertyVal(messages[0], "id", 1)
      }
    })
  )

  it.effect("repeat in a header the argument that the list says, so that what stands between can route by it", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const listed = yield* client.send(modernRequest("tools/list"), modernHeaders("tools/list"))
      const tools: ReadonlyArray<{ readonly name: string; readonly inputSchema: unknown }> = Object(listed.messages[0])
        .result.tools
      const routed = tools.find(({ name }) => name === "routed")
      assert.deepNestedPropertyVal(routed, "inputSchema.properties.region.x-mcp-header", "Region")
      const older = yield* client.send(request("tools/list"))
      assert.notInclude(JSON.stringify(older.messages), "x-mcp-header")

      const statusOf = (args: object, header?: string) => {
        const headers = {
          ...modernHeaders("tools/call", "routed"),
          ...(header === undefined ? {} : { "mcp-param-region": header })
        }
        return Effect.map(
          client.send(modernRequest("tools/call", { name: "routed", arguments: args }), headers),
          ({ messages, status }) => [status, Object(messages[0]).error?.code]
        )
      }
      const encoded = `=?base64?${Buffer.from("größe").toString("base64")}?=`
      for (const [args, header] of [
        [{ region: "north" }, "north"],
        [{ region: "größe" }, encoded],
        [{ region: null }, undefined],
        [{}, undefined]
      ] as const) {
        assert.deepStrictEqual(yield* statusOf(args, header), [200, undefined], header)
      }
      for (const [args, header] of [
        [{ region: "north" }, undefined],
        [{ region: "north" }, "south"],
        [{ region: "north" }, "=?base64?not base64?="],
        [{ region: null }, "north"],
        [{}, "north"]
      ] as const) {
        assert.deepStrictEqual(yield* statusOf(args, header), [400, -32020], header)
      }
      assert.strictEqual((yield* client.send(toolCall("routed", { region: "north" }))).status, 200)
    })
  )

  it.effect("may write names in Base64, and must where they are not ASCII", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const encoded = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`
      const plain = yield* client.send(echo, modernHeaders("tools/call", encoded("echo")))
      assert.strictEqual(plain.status, 200)
      const uri = "test://größe/🙂"
      const headers = modernHeaders("resources/read", encoded(uri))
      const { messages, status } = yield* client.send(modernRequest("resources/read", { uri }), headers)
      assert.strictEqual(status, 200)
      assert.nestedPropertyVal(messages[0], "error.data.uri", uri)
    })
  )

  it.effect("stand beside legacy ones at the same door", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const shaken = yield* client.send(initialize("2025-11-25"))
      assert.nestedPropertyVal(shaken.messages[0], "result.protocolVersion", "2025-11-25")
      assert.isNull(shaken.headers.get("mcp-session-id"))
      const legacy = yield* client.send(toolCall("echo", { text: "a" }), { "mcp-protocol-version": "2025-11-25" })
      assert.nestedPropertyVal(legacy.messages[0], "result.structuredContent.text", "a")
      const modern = yield* client.send(echo, modernHeaders("tools/call", "echo"))
      assert.nestedPropertyVal(modern.messages[0], "result.resultType", "complete")
      const cancelled = yield* client.send(notification("notifications/cancelled", { requestId: 1 }), {
        "mcp-protocol-version": "2025-11-25"
      })
      assert.strictEqual(cancelled.status, 202)
    })
  )

  it.effect("have no batches", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      for (const version of ["2026-07-28", "2025-11-25", "2025-06-18"]) {
        const { messages, status } = yield* client.send([request("ping")], { "mcp-protocol-version": version })
        assert.strictEqual(status, 400)
        assert.nestedPropertyVal(messages[0], "error.code", -32600)
      }
      assert.strictEqual((yield* client.send([request("ping")])).status, 200)
    })
  )
})

/** Lets everything that is ready come its way, promises and streams included. */
const turns = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

layer(FixtureServer)("a client that goes away", (it) => {
  it.effect("cancels a modern request", () =>
    Effect.gen(function* () {
      const { interrupted, waiting } = yield* Gate
      const client = yield* connect()
      const wait = modernRequest("tools/call", { name: "wait" })
      const asking = yield* Effect.forkChild(client.send(wait, modernHeaders("tools/call", "wait")))
      yield* Deferred.await(waiting)
      yield* Fiber.interrupt(asking)
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => interrupted() === 1, times: 1000 }))
      assert.strictEqual(interrupted(), 1)
    })
  )
})

layer(FixtureServer)("a client that goes away", (it) => {
  it.effect("leaves a legacy request that changes something to finish", () =>
    Effect.gen(function* () {
      const { gate, interrupted, waiting } = yield* Gate
      const client = yield* connect()
      const asking = yield* Effect.forkChild(client.send(toolCall("change")))
      yield* Deferred.await(waiting)
      yield* Fiber.interrupt(asking)
      yield* Deferred.succeed(gate, undefined)
      const { messages } = yield* client.send(toolCall("wait"))
      assert.nestedPropertyVal(messages[0], "result.content[0].text", `{"opened":true}`)
      assert.strictEqual(interrupted(), 0)
    })
  )
})

layer(FixtureServer)("a client that goes away while others wait", (it) => {
  it.effect("frees the places of its legacy requests that read, and of those that were not begun", () =>
    Effect.gen(function* () {
      const { interrupted, started } = yield* Gate
      const client = yield* connect()
      const leave = Effect.fnUntraced(function* (name: string) {
        const before = { started: started(), interrupted: interrupted() }
        const asking = yield* Effect.forEach(Array.from({ length: 300 }), () =>
          Effect.forkChild(client.send(toolCall(name, { note: name })))
        )
        yield* turns.pipe(Effect.repeat({ until: () => started() - before.started >= 256 }))
        yield* turns.pipe(Effect.repeat({ times: 50 }))
        yield* Fiber.interruptAll(asking)
        yield* turns.pipe(Effect.repeat({ times: 200 }))
        return { begun: started() - before.started, stopped: interrupted() - before.interrupted }
      })
      const reads = yield* leave("wait")
      assert.strictEqual(reads.stopped, reads.begun)
      assert.deepEqual(yield* leave("change"), { begun: 256, stopped: 0 })
      const { messages } = yield* client.send(toolCall("echo", { text: "next" }))
      assert.nestedProperty(messages[0], "result")
    })
  )
})

layer(FixtureServer)("a client that goes away from a stream of events", (it) => {
  it.effect("cancels a modern request, and leaves a legacy one that changes something to finish", () =>
    Effect.gen(function* () {
      const { gate, interrupted } = yield* Gate
      const client = yield* connect()
      const listen = Effect.fnUntraced(function* (
        name: string,
        headers: Readonly<Record<string, string>>,
        meta: object
      ) {
        const response = yield* client.fetch("/mcp", {
          method: "POST",
          body: JSON.stringify(request("tools/call", { name, _meta: { ...meta, progressToken: "t" } })),
          headers: { ...headers, accept: "text/event-stream" }
        })
        const reader = response.body?.getReader()
        const first = yield* Effect.promise(async () => reader?.read())
        assert.include(new TextDecoder().decode(first?.value), "notifications/progress")
        yield* Effect.promise(async () => reader?.cancel())
        yield* Effect.yieldNow.pipe(Effect.repeat({ times: 100 }))
      })
      yield* listen("wait", modernHeaders("tools/call", "wait"), modernMeta)
      assert.strictEqual(interrupted(), 1)
      yield* listen("change", {}, {})
      assert.strictEqual(interrupted(), 1)
      yield* Deferred.succeed(gate, undefined)
    })
  )
})

layer(FixtureServer)("two clients with the same ids", (it) => {
  it.effect("get their own answers, in whatever order these are ready", () =>
    Effect.gen(function* () {
      const { gate, waiting } = yield* Gate
      const client = yield* connect()
      const slow = yield* Effect.forkChild(client.send(toolCall("wait", {}, 7)))
      yield* Deferred.await(waiting)
      const texts = Array.from({ length: 30 }, (_, n) => `client ${n}`)
      const replies = yield* Effect.forEach(texts, (text) => client.send(toolCall("echo", { text }, 7)), {
        concurrency: "unbounded"
      })
      for (const [at, { messages }] of replies.entries()) {
        assert.nestedPropertyVal(messages[0], "id", 7)
        assert.nestedPropertyVal(messages[0], "result.content[0].text", JSON.stringify({ text: texts[at] }))
      }
      yield* Deferred.succeed(gate, undefined)
      const { messages } = yield* Fiber.join(slow)
      assert.nestedPropertyVal(messages[0], "result.content[0].text", `{"opened":true}`)
    })
  )
})
