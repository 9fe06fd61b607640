import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"

import { HealthFacts } from "../../../src/mcp/Toolset.ts"
import { FixtureServer, Gate } from "../../support/fixtures/FixtureServer.ts"
import { connect } from "../../support/fixtures/HttpClient.ts"
import { modernHeaders, modernMeta, request } from "../../support/fixtures/messages.ts"

const call = (name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args }
})

layer(FixtureServer)("POST /mcp", (it) => {
  it.effect("answers a bare tools/call, whatever the client accepts", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      for (const accept of ["*/*", "application/json", "text/event-stream", "text/html", ""]) {
        const { headers, messages, status } = yield* client.send(call("echo", { text: "hello" }), { accept })
        assert.strictEqual(status, 200)
        assert.strictEqual(headers.get("content-type"), "application/json")
        assert.deepEqual(messages, [
          { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: `{"text":"hello"}` }] } }
        ])
      }
    })
  )

  it.effect("answers errors of tools and unknown methods with 200", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const failed = yield* client.send(call("unknown_instance"))
      assert.strictEqual(failed.status, 200)
      assert.nestedPropertyVal(failed.messages[0], "error.code", -32602)
      const unknown = yield* client.send({ jsonrpc: "2.0", id: 1, method: "no/such" })
      assert.strictEqual(unknown.status, 200)
      assert.nestedPropertyVal(unknown.messages[0], "error.code", -32601)
    })
  )

  it.effect("answers a body that is no JSON, and JSON that is no message, with 400", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const unparseable = yield* client.post("{")
      assert.strictEqual(unparseable.status, 400)
      assert.nestedPropertyVal(unparseable.messages[0], "error.code", -32700)
      assert.nestedPropertyVal(unparseable.messages[0], "id", null)
      for (const envelope of [
        { id: 7, method: "ping" },
        { jsonrpc: "1.0", id: 7, method: "ping" }
      ]) {
        const wrong = yield* client.send(envelope)
        assert.strictEqual(wrong.status, 400)
        assert.nestedPropertyVal(wrong.messages[0], "error.code", -32600)
        assert.nestedPropertyVal(wrong.messages[0], "id", 7)
      }
    })
  )

  it.effect("takes notifications and replies with 202 and no body", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      for (const message of [
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", method: "no/such/notification", params: {} },
        { jsonrpc: "2.0", id: 1, result: {} }
      ]) {
        const { messages, status } = yield* client.send(message)
        assert.strictEqual(status, 202)
        assert.deepEqual(messages, [])
      }
    })
  )

  it.effect("answers every other method with 405", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      for (const method of ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"]) {
        const response = yield* client.fetch("/mcp", { method })
        assert.strictEqual(response.status, 405)
        assert.strictEqual(response.headers.get("allow"), "POST")
        assert.isNull(response.headers.get("access-control-allow-origin"))
      }
    })
  )

  it.effect("streams progress where the client takes events and gave a token, and only there", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const run = Effect.fnUntraced(function* (accept: string, _meta: object) {
        const message = { ...call(""), params: { name: "test_tool_with_progress", _meta } }
        const reply = yield* Effect.forkChild(client.send(message, { accept }))
        yield* TestClock.adjust("1 second").pipe(Effect.repeat({ times: 3 }))
        return yield* Fiber.join(reply)
      })
      const streamed = yield* run("application/json, text/event-stream", { progressToken: "t" })
      assert.strictEqual(streamed.headers.get("content-type"), "text/event-stream")
      assert.deepEqual(
        streamed.messages.map((message) => Object.keys(Object(message))),
        [...Array.from({ length: 3 }, () => ["jsonrpc", "method", "params"]), ["jsonrpc", "id", "result"]]
      )
      for (const silent of [
        yield* run("application/json", { progressToken: "t" }),
        yield* run("text/event-stream", {})
      ]) {
        assert.strictEqual(silent.headers.get("content-type"), "application/json")
        assert.lengthOf(silent.messages, 1)
      }
    })
  )

  it.effect("gives a streamed answer the id of its request, the caller's or a new one", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const idOf = Effect.fnUntraced(function* (extra: Record<string, string>) {
        const message = { ...call(""), params: { name: "test_tool_with_progress", _meta: { progressToken: "t" } } }
        const reply = yield* Effect.forkChild(client.send(message, { accept: "text/event-stream", ...extra }))
        yield* TestClock.adjust("1 second").pipe(Effect.repeat({ times: 3 }))
        const { headers } = yield* Fiber.join(reply)
        assert.strictEqual(headers.get("content-type"), "text/event-stream")
        return headers.get("x-request-id") ?? ""
      })
      assert.strictEqual(yield* idOf({ "x-request-id": "mine-1" }), "mine-1")
      const ids = [yield* idOf({}), yield* idOf({ "x-request-id": "two words" })]
      for (const id of ids) assert.match(id, /^[0-9a-f]{16}$/)
      assert.notStrictEqual(ids[0], ids[1])
    })
  )
})

layer(FixtureServer)("doors", (it) => {
  it.effect("let in loopback names and what is allowed, and nobody else", () =>
    Effect.gen(function* () {
      const client = yield* connect({ allowedHosts: ["tools.test"], allowedOrigins: ["https://app.test"] })
      const status = (headers: Record<string, string>) =>
        Effect.map(client.fetch("/health", { headers }), (response) => response.status)

      for (const host of [
        "localhost",
        "localhost:1",
        "127.0.0.1:3456",
        "127.0.0.2:3456",
        "[::1]:3456",
        "tools.test",
        "TOOLS.test:8443"
      ]) {
        assert.strictEqual(yield* status({ host }), 200, host)
      }
      for (const host of ["evil.test", "localhost.evil.test", "127.0.0.1.evil.test:3456", "tools.test.evil.test"]) {
        assert.strictEqual(yield* status({ host }), 403, host)
      }
      for (const origin of ["http://localhost:3456", "http://127.0.0.1:3456", "https://app.test"]) {
        assert.strictEqual(yield* status({ origin }), 200, origin)
      }
      for (const origin of ["null", "http://evil.test", "https://app.test.evil.test", "http://localhost.evil.test"]) {
        assert.strictEqual(yield* status({ origin }), 403, origin)
      }
    })
  )

  it.effect("ask for a good token where one is configured, on every method of /mcp but not on /health", () =>
    Effect.gen(function* () {
      const client = yield* connect({ verify: (token) => Effect.succeed(Redacted.value(token) === "good") })
      for (const authorization of ["", "good", "Basic good", "Bearer bad", "Bearer good extra"]) {
        for (const method of ["POST", "GET", "DELETE"]) {
          const response = yield* client.fetch("/mcp", { method, headers: { authorization } })
          assert.strictEqual(response.status, 401)
          assert.strictEqual(response.headers.get("www-authenticate"), "Bearer")
        }
      }
      const { status } = yield* client.send(call("echo", { text: "a" }), { authorization: "bearer good" })
      assert.strictEqual(status, 200)
      assert.strictEqual((yield* client.fetch("/health")).status, 200)
    })
  )

  it.effect("refuse encoded bodies with 415 and too large ones with 413", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const status = (body: NonNullable<RequestInit["body"]>, headers: Record<string, string> = {}) =>
        Effect.map(client.fetch("/mcp", { method: "POST", body, headers }), (response) => response.status)
      assert.strictEqual(yield* status("{}", { "content-encoding": "gzip" }), 415)
      assert.strictEqual(yield* status(new Uint8Array(16 * 1024 * 1024 + 1)), 413)
      const chunk = new Uint8Array(1024 * 1024)
      const endless = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) })
      assert.strictEqual(yield* status(endless), 413)
    })
  )
})

layer(FixtureServer)("GET /health", (it) => {
  it.effect("tells its three fields and nothing else", () =>
    Effect.gen(function* () {
      const client = yield* connect().pipe(
        Effect.provideService(HealthFacts, Effect.succeed({ engineVersion: "1.82.3" }))
      )
      const response = yield* client.fetch("/health")
      assert.deepEqual(yield* Effect.promise(() => response.json()), {
        status: "ok",
        version: "1.2.3",
        engineVersion: "1.82.3"
      })
    })
  )
})

describe("a server that is about to close", () => {
  it.effect("answers what it was still serving with 503 and an error of JSON-RPC", () =>
    Effect.gen(function* () {
      const stop = yield* Deferred.make<void>()
      const client = yield* connect({ until: Deferred.await(stop) })
      const { started } = yield* Gate
      const legacy = yield* Effect.forkChild(client.send(call("wait")))
      const meta = { ...modernMeta, progressToken: "t" }
      const modern = yield* Effect.forkChild(
        client.send(request("tools/call", { name: "wait", _meta: meta }, 2), {
          ...modernHeaders("tools/call", "wait"),
          accept: "text/event-stream"
        })
      )
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => started() === 2 }))
      yield* Deferred.succeed(stop, undefined)
      const { messages, status } = yield* Fiber.join(legacy)
      assert.strictEqual(status, 503)
      assert.nestedPropertyVal(messages[0], "id", 1)
      assert.nestedPropertyVal(messages[0], "error.code", -32603)
      const streamed = yield* Fiber.join(modern)
      assert.nestedPropertyVal(streamed.messages.at(-1), "id", 2)
      assert.nestedPropertyVal(streamed.messages.at(-1), "error.code", -32603)
    }).pipe(Effect.provide(FixtureServer))
  )
})
