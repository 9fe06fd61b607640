import { once } from "node:events"
import { connect, type Socket } from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { HttpRouter } from "effect/http"

import { mostConnections, sendLimits } from "../../../src/cli/http/connections.ts"
import { httpListener } from "../../../src/cli/http/httpListener.ts"
import * as McpHttp from "../../../src/mcp/transport/http.ts"
import { FixtureServer, Gate, port } from "../../support/fixtures/FixtureServer.ts"
import { toolCall } from "../../support/fixtures/messages.ts"

/** A server with room for four connections. */
const Small = HttpRouter.serve(McpHttp.layer(), { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provideMerge(httpListener({ host: "127.0.0.1", port: 0 }, sendLimits, { most: 4, crowded: 2, every: 20 })),
  Layer.provideMerge(FixtureServer)
)

/** A caller with a connection of its own. */
const caller = Effect.gen(function* () {
  const at = yield* port
  const socket: Socket = connect(at, "127.0.0.1")
  socket.on("error", () => {})
  yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
  const closed = once(socket, "close")
  return {
    send: (message: unknown) =>
      Effect.promise(() => {
        const body = JSON.stringify(message)
        const data = once(socket, "data").then(([chunk]) => String(chunk))
        const length = Buffer.byteLength(body)
        socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost:${at}\r\nContent-Length: ${length}\r\n\r\n${body}`)
        return Promise.race([data, closed.then(() => "closed")])
      }),
    closed: Effect.promise(() => closed),
    leave: () => socket.destroy()
  }
})
const callers = (count: number) => Effect.forEach(Array.from({ length: count }), () => caller)
const ping = { jsonrpc: "2.0", id: 1, method: "ping" }
const answered = /^HTTP\/1\.1 200/

describe("where there is no room for another connection", () => {
  it.live("the longest idle one gives way, and nobody else", () =>
    Effect.gen(function* () {
      const [silent, ...others] = yield* callers(4)
      assert.isDefined(silent)
      assert.match(yield* silent.send(ping), answered)
      const tryOnce = Effect.gen(function* () {
        for (const { send } of others) assert.match(yield* send(ping), answered)
        return yield* (yield* caller).send(ping)
      })
      // Who was heard a moment ago counts as at work, until somebody has looked.
      const answer = yield* Effect.repeat(tryOnce, { until: (text) => text !== "closed" })
      assert.match(answer, answered)
      yield* silent.closed
      for (const { send } of others) assert.match(yield* send(ping), answered)
    }).pipe(Effect.scoped, Effect.provide(Small))
  )

  it.live("none that is being served is closed, but the new one", () =>
    Effect.gen(function* () {
      const { gate, started } = yield* Gate
      const busy = yield* callers(4)
      const answers = yield* Effect.forkScoped(
        Effect.forEach(busy, ({ send }) => send(toolCall("wait")), { concurrency: "unbounded" })
      )
      yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => started() === 4 })
      for (let times = 0; times < 20; times++) assert.strictEqual(yield* (yield* caller).send(ping), "closed")
      yield* Deferred.succeed(gate, undefined)
      for (const answer of yield* Fiber.join(answers)) assert.match(answer, answered)
    }).pipe(Effect.scoped, Effect.provide(Small))
  )
})

it.live("an answer tells for how long its connection is kept: a minute, and seconds where many are connected", () =>
  Effect.gen(function* () {
    const texts = yield* Effect.flatMap(
      callers(1),
      Effect.forEach(({ send }) => send(ping))
    )
    assert.match(texts.join(), /^keep-alive: timeout=60\r$/im)
    yield* callers(2)
    const answer = Effect.flatMap(caller, ({ send }) => send(ping))
    assert.match(yield* answer, /^keep-alive: timeout=5\r$/im)
  }).pipe(Effect.scoped, Effect.provide(Small))
)

it("there are as many connections as memory and descriptors allow, of any sizes", () => {
  const GiB = 2 ** 30
  assert.strictEqual(mostConnections({ memory: 4 * GiB, descriptors: 1_000_000 }), 16_384)
  assert.strictEqual(mostConnections({ memory: 64 * GiB, descriptors: 1024 }), 512)
  assert.strictEqual(mostConnections({ memory: 64 * GiB, descriptors: Infinity }), 65_536)
  assert.strictEqual(mostConnections({ memory: 0, descriptors: 0 }), 64)
})
