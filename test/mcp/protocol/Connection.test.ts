import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Logger } from "effect"

import { FixtureServer, Gate } from "../../support/fixtures/FixtureServer.ts"
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
