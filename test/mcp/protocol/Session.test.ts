import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"

import { FixtureServer, Gate } from "../../support/fixtures/FixtureServer.ts"
import * as Http from "../../support/fixtures/HttpClient.ts"
import { initialize, modernRequest, notification, request, toolCall } from "../../support/fixtures/messages.ts"
import { connect } from "../../support/fixtures/StdioClient.ts"

layer(FixtureServer)("batches", (it) => {
  it.effect("are answered as one, without their notifications", () =>
    Effect.gen(function* () {
      const client = yield* connect
      yield* client.send([
        request("ping", undefined, 1),
        notification("notifications/initialized"),
        toolCall("echo", { text: "a" }, "two"),
        request("no/such", undefined, 3)
      ])
      const reply = Object(yield* client.receive)
      assert.deepEqual(
        reply.map((each: { readonly id: unknown }) => each.id),
        [1, "two", 3]
      )
      yield* client.send([notification("notifications/initialized"), { jsonrpc: "2.0", id: 9, result: {} }])
      yield* client.send(request("ping", undefined, "after"))
      assert.nestedPropertyVal(yield* client.receive, "id", "after")
    })
  )

  it.effect("may not hold a handshake or a modern request, and each wrong member gets its own error", () =>
    Effect.gen(function* () {
      const client = yield* connect
      yield* client.send([initialize("2025-03-26"), modernRequest("tools/list", {}, 2), { jsonrpc: "2.0" }, 5])
      const reply = Object(yield* client.receive)
      assert.deepEqual(
        reply.map(({ error, id }: { readonly error: { readonly code: number }; readonly id: unknown }) => [
          id,
          error.code
        ]),
        [
          ["init", -32600],
          [2, -32600],
          [null, -32600],
          [null, -32600]
        ]
      )
    })
  )

  it.effect("hold one to fifty messages", () =>
    Effect.gen(function* () {
      const client = yield* connect
      for (const length of [0, 51]) {
        yield* client.send(Array.from({ length }, (_, id) => request("ping", undefined, id)))
        assert.nestedPropertyVal(yield* client.receive, "error.code", -32600)
      }
      yield* client.send(Array.from({ length: 50 }, (_, id) => request("ping", undefined, id)))
      assert.lengthOf(Object(yield* client.receive), 50)
    })
  )

  it.effect("belong to 2025-03-26 alone", () =>
    Effect.gen(function* () {
      for (const version of ["2024-11-05", "2025-06-18", "2025-11-25"]) {
        const client = yield* connect
        yield* client.send(initialize(version))
        yield* client.receive
        yield* client.send([request("ping")])
        assert.nestedPropertyVal(yield* client.receive, "error.code", -32600)
      }
    })
  )
})

layer(FixtureServer)("requests in flight", (it) => {
  it.effect("end without an answer, and without a line in the log, when they are cancelled", () => {
    const logged: Array<unknown> = []
    const capture = Logger.make<unknown, void>(({ message }) => {
      logged.push(message)
    })
    return Effect.gen(function* () {
      const { interrupted, waiting } = yield* Gate
      const client = yield* connect
      yield* client.send(toolCall("wait", {}, "slow"))
      yield* Deferred.await(waiting)
      yield* client.send(notification("notifications/cancelled", { requestId: "another" }))
      yield* client.send(notification("notifications/cancelled", { requestId: "slow", reason: "enough" }))
      yield* client.send(toolCall("echo", { text: "next" }, "slow"))
      assert.nestedPropertyVal(yield* client.receive, "result.content[0].text", `{"text":"next"}`)
      assert.strictEqual(interrupted(), 1)
      assert.strictEqual(yield* client.pending, 0)
      assert.deepEqual(logged, [])
    }).pipe(Effect.provide(Logger.layer([capture])))
  })

  it.effect('refuse a second request with their id, but know 1 from "1"', () =>
    Effect.gen(function* () {
      const client = yield* connect
      yield* client.send(toolCall("wait", {}, 1))
      yield* client.send(request("ping", undefined, "1"))
      assert.deepEqual(yield* client.receive, { jsonrpc: "2.0", id: "1", result: {} })
      yield* client.send(toolCall("wait", {}, 1))
      assert.nestedPropertyVal(yield* client.receive, "error.code", -32600)
      yield* client.send(notification("notifications/cancelled", { requestId: 1 }))
    })
  )

  it.effect("of two clients never cross, whatever their ids", () =>
    Effect.gen(function* () {
      const { gate } = yield* Gate
      const [left, right] = [yield* connect, yield* connect]
      for (let id = 0; id < 20; id++) {
        yield* left.send(toolCall(id % 3 === 0 ? "wait" : "echo", id % 3 === 0 ? {} : { text: `left ${id}` }, id))
        yield* right.send(toolCall("echo", { text: `right ${id}` }, id))
        yield* right.send(notification("notifications/cancelled", { requestId: id - 1 }))
      }
      for (let id = 0; id < 20; id++) {
        const reply = Object(yield* right.receive)
        assert.strictEqual(reply.result.content[0].text, JSON.stringify({ text: `right ${reply.id}` }))
      }
      yield* Deferred.succeed(gate, undefined)
      for (let id = 0; id < 20; id++) {
        const reply = Object(yield* left.receive)
        const expected = reply.id % 3 === 0 ? { opened: true } : { text: `left ${reply.id}` }
        assert.strictEqual(reply.result.content[0].text, JSON.stringify(expected))
      }
    })
  )
})

layer(FixtureServer)("requests in flight", (it) => {
  it.effect(
    "are at work 256 at a time; the others wait, and what needs no work overtakes them; a cancelled one makes room",
    () =>
      Effect.gen(function* () {
        const { gate, started } = yield* Gate
        const client = yield* connect
        for (let id = 0; id < 300; id++) yield* client.send(toolCall("wait", {}, id))
        yield* client.send(request("ping", undefined, "quick"))
        assert.nestedPropertyVal(yield* client.receive, "id", "quick")
        assert.strictEqual(started(), 256)
        yield* client.send(notification("notifications/cancelled", { requestId: 0 }))
        yield* client.request("ping")
        assert.strictEqual(started(), 257)
        yield* Deferred.succeed(gate, undefined)
        for (let id = 1; id < 300; id++) assert.nestedProperty(yield* client.receive, "result")
        assert.strictEqual(started(), 300)
      })
  )
})

layer(FixtureServer)("concurrency groups", (it) => {
  it.effect("do not wait for each other, and a call that finds no place in its own is told so after 30 seconds", () =>
    Effect.gen(function* () {
      const { started } = yield* Gate
      const client = yield* connect
      for (let id = 0; id < 300; id++) yield* client.send(toolCall("wait", { note: "hung" }, id))
      yield* client.send(toolCall("echo", { text: "other" }, "other"))
      assert.nestedPropertyVal(yield* client.receive, "id", "other")
      assert.strictEqual(started(), 256)
      yield* TestClock.adjust("29999 millis")
      assert.strictEqual(yield* client.pending, 0)
      yield* TestClock.adjust("1 millis")
      for (let id = 256; id < 300; id++) {
        const reply = yield* client.receive
        assert.nestedPropertyVal(reply, "id", id)
        assert.nestedPropertyVal(reply, "error.code", -32000)
        assert.deepNestedPropertyVal(reply, "error.data", { code: "BUSY", concurrencyGroup: "Group hung" })
      }
      assert.strictEqual(started(), 256)
    })
  )

  it.effect("take control messages and other calls behind thousands that wait", () =>
    Effect.gen(function* () {
      const { interrupted } = yield* Gate
      const client = yield* connect
      const before = interrupted()
      for (let id = 0; id < 3000; id++) yield* client.send(toolCall("wait", { note: "thousands" }, id))
      for (let id = 2999; id >= 0; id--) {
        yield* client.send(notification("notifications/cancelled", { requestId: id }))
      }
      yield* client.send(toolCall("echo", { text: "next" }, "next"))
      assert.nestedPropertyVal(yield* client.receive, "id", "next")
      assert.strictEqual(interrupted() - before, 256)
      assert.strictEqual(yield* client.pending, 0)
    })
  )

  it.effect("refuse at once what is more than all that may wait, and still take control messages", () =>
    Effect.gen(function* () {
      const client = yield* connect
      for (let id = 0; id < 4100; id++) yield* client.send(toolCall("wait", { note: "endless" }, id))
      yield* client.send(request("ping", undefined, "ping"))
      for (let id = 4096; id < 4100; id++) {
        const reply = yield* client.receive
        assert.nestedPropertyVal(reply, "id", id)
        assert.nestedPropertyVal(reply, "error.data.code", "BUSY")
      }
      assert.nestedPropertyVal(yield* client.receive, "id", "ping")
    })
  )
})

layer(FixtureServer)("what cannot be written", (it) => {
  it.effect("is an error of its request, in both eras and in a batch, and the next one is served", () =>
    Effect.gen(function* () {
      const client = yield* connect
      const names = ["refused_deeply", "answer_deeply", "unwritable"]
      for (const name of names) {
        yield* client.send(toolCall(name, {}, name))
        const reply = yield* client.receive
        assert.nestedPropertyVal(reply, "id", name)
        if (name !== "unwritable") assert.nestedProperty(reply, "error.data.code")
        yield* client.send(modernRequest("tools/call", { name }, `modern ${name}`))
        assert.nestedPropertyVal(yield* client.receive, "id", `modern ${name}`)
      }
      yield* client.send(names.map((name) => toolCall(name, {}, name)))
      assert.lengthOf(Object(yield* client.receive), names.length)
      yield* client.send(request("ping", undefined, "next"))
      assert.nestedPropertyVal(yield* client.receive, "id", "next")
    })
  )

  it.effect("has its answer over HTTP, too", () =>
    Effect.gen(function* () {
      const client = yield* Http.connect()
      for (const name of ["refused_deeply", "answer_deeply", "unwritable"]) {
        const { messages, status } = yield* client.send(toolCall(name, {}, name))
        assert.strictEqual(status, 200)
        assert.nestedPropertyVal(messages[0], "id", name)
      }
    })
  )
})
