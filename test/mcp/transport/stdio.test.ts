import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Sink, Stdio, Stream } from "effect"
import { badArgument } from "effect/PlatformError"
import { TestClock } from "effect/testing"

import { serveStdio } from "../../../src/mcp/transport/stdio.ts"
import { FixtureServer, Gate } from "../../support/fixtures/FixtureServer.ts"
import { modernMeta } from "../../support/fixtures/messages.ts"
import { connect } from "../../support/fixtures/StdioClient.ts"

const call = (id: number | string, name: string, args: object = {}, meta?: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }
})

layer(FixtureServer)("stdio", (it) => {
  it.effect("answers a bare tools/call without any handshake", () =>
    Effect.gen(function* () {
      const client = yield* connect
      const reply = yield* client.request("tools/call", { name: "echo", arguments: { text: "hello" } })
      assert.deepEqual(reply, {
        jsonrpc: "2.0",
        id: 1,
        result: { content: [{ type: "text", text: `{"text":"hello"}` }] }
      })
    })
  )

  it.effect("uses what a handshake settled, even for lines sent together with it", () =>
    Effect.gen(function* () {
      const client = yield* connect
      yield* client.send({
        jsonrpc: "2.0",
        id: "init",
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      })
      yield* client.send({ jsonrpc: "2.0", method: "notifications/initialized" })
      yield* client.send(call(2, "echo", { text: "hello" }))
      assert.nestedPropertyVal(yield* client.receive, "result.protocolVersion", "2025-11-25")
      assert.nestedPropertyVal(yield* client.receive, "result.structuredContent.text", "hello")
    })
  )
})

const stopped = (id: number | string, consequence = "It changed nothing: ask again.") => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32603, message: `The server was stopped before this was answered. ${consequence}` }
})

const unknownOutcome = "Its outcome is unknown: read the current state before trying again."

/** A client with one call in flight that ends when the gate is opened. */
const clientWaitingFor = Effect.fnUntraced(function* (tool: "change" | "wait") {
  const client = yield* connect
  const { waiting } = yield* Gate
  yield* client.send(call(1, tool))
  yield* Deferred.await(waiting)
  return client
})
const waitingClient = clientWaitingFor("wait")

describe("the end of stdio", () => {
  it.effect("waits for what is in flight when the input ends, as long as a call may take", () =>
    Effect.gen(function* () {
      const client = yield* waitingClient
      yield* client.end
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* client.pending, 0)
      yield* Deferred.succeed((yield* Gate).gate, undefined)
      assert.nestedPropertyVal(yield* client.receive, "result.content[0].text", `{"opened":true}`)
      yield* client.close
    }).pipe(Effect.provide(FixtureServer))
  )

  it.effect("answers after five and a half minutes that it was stopped", () =>
    Effect.gen(function* () {
      const client = yield* waitingClient
      const closing = yield* Effect.forkChild(client.close)
      yield* TestClock.adjust("329999 millis")
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(closing)
      assert.deepEqual(yield* client.receive, stopped(1))
      assert.strictEqual((yield* Gate).interrupted(), 1)
    }).pipe(Effect.provide(FixtureServer))
  )

  it.effect(
    "says of a change that was stopped that its outcome is unknown, and of one that waited that it changed nothing",
    () =>
      Effect.gen(function* () {
        const client = yield* clientWaitingFor("change")
        const later = Array.from({ length: 300 }, (_, index) => index + 2)
        yield* Effect.forEach(later, (id) => client.send(call(id, "change")))
        yield* client.request("ping")
        const { started } = yield* Gate
        yield* client.stop
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(client.server)
        const begun = started()
        assert.isBelow(begun, 301)
        for (const id of [1, ...later]) {
          assert.deepEqual(yield* client.receive, id <= begun ? stopped(id, unknownOutcome) : stopped(id))
        }
      }).pipe(Effect.provide(FixtureServer))
  )

  it.effect("comes within five seconds when it is told to, and leaves only what was cancelled unanswered", () =>
    Effect.gen(function* () {
      const client = yield* waitingClient
      yield* client.send(call(2, "wait"))
      yield* client.send(call("modern", "wait", {}, modernMeta))
      yield* client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
      yield* client.request("ping")
      yield* client.stop
      yield* TestClock.adjust("4999 millis")
      assert.strictEqual(yield* client.pending, 0)
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(client.server)
      assert.deepEqual(yield* client.receive, stopped(2))
      assert.deepEqual(yield* client.receive, stopped("modern"))
      assert.strictEqual(yield* client.pending, 0)
    }).pipe(Effect.provide(FixtureServer))
  )

  it.effect("comes sooner when it is told to while it waits", () =>
    Effect.gen(function* () {
      const client = yield* waitingClient
      yield* client.end
      yield* TestClock.adjust("30 seconds")
      yield* client.stop
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(client.server)
      assert.deepEqual(yield* client.receive, stopped(1))
    }).pipe(Effect.provide(FixtureServer))
  )

  it.effect("answers a batch with what is done and what is not", () =>
    Effect.gen(function* () {
      const client = yield* connect
      yield* client.send([call(1, "wait"), { jsonrpc: "2.0", id: 2, method: "ping" }])
      yield* Deferred.await((yield* Gate).waiting)
      yield* client.stop
      yield* TestClock.adjust("5 seconds")
      assert.deepEqual(yield* client.receive, [stopped(1), { jsonrpc: "2.0", id: 2, result: {} }])
    }).pipe(Effect.provide(FixtureServer))
  )
})

layer(FixtureServer)("stdio", (it) => {
  it.effect("ends when nobody reads its output any more", () =>
    Effect.gen(function* () {
      const stdio = Stdio.make({
        args: Effect.succeed([]),
        stdin: Stream.concat(
          Stream.make(new TextEncoder().encode(JSON.stringify(call(1, "echo")) + "\n")),
          Stream.never
        ),
        stdout: () => Sink.fail(badArgument({ module: "Stdio", method: "stdout" })),
        stderr: () => Sink.drain
      })
      yield* serveStdio().pipe(Effect.provideService(Stdio.Stdio, stdio))
    })
  )

  it.effect("ends when it is told to", () =>
    Effect.gen(function* () {
      const stop = yield* Deferred.make<void>()
      const stdio = Stdio.make({
        args: Effect.succeed([]),
        stdin: Stream.never,
        stdout: () => Sink.drain,
        stderr: () => Sink.drain
      })
      const serving = yield* serveStdio(Deferred.await(stop)).pipe(
        Effect.provideService(Stdio.Stdio, stdio),
        Effect.forkChild
      )
      yield* Deferred.succeed(stop, undefined)
      yield* Fiber.join(serving)
    })
  )
})

layer(FixtureServer)("stdio, where a line can be written now", (it) => {
  const ping = (id: number) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`
  const pong = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{}}\n`

  /** The texts written by the stream and at once, where each of these pieces follows when the one before was answered. */
  const written = (pieces: ReadonlyArray<string>, isWritable: boolean) =>
    Effect.gen(function* () {
      const writes: Array<readonly [how: "at once" | "in turn", text: string]> = []
      const answered = yield* Queue.unbounded<void>()
      const say = (how: "at once" | "in turn", text: string) => {
        writes.push([how, text])
        Queue.offerUnsafe(answered, undefined)
      }
      const stdio = Stdio.make({
        args: Effect.succeed([]),
        stdin: Stream.fromIterable(pieces).pipe(
          Stream.rechunk(1),
          Stream.mapEffect((piece) => Effect.as(Queue.take(answered), new TextEncoder().encode(piece)))
        ),
        stdout: () => Sink.forEach((text) => Effect.sync(() => say("in turn", String(text)))),
        stderr: () => Sink.drain
      })
      Queue.offerUnsafe(answered, undefined)
      const writeNow = (line: string) => {
        if (isWritable) say("at once", line)
        return isWritable
      }
      yield* serveStdio(Effect.never, { writeNow }).pipe(Effect.provideService(Stdio.Stdio, stdio))
      return writes
    })

  it.effect("answers what came together at once and together, after the first", () =>
    Effect.map(written([ping(1), ping(2), ping(3) + ping(4)], true), (writes) =>
      assert.deepStrictEqual(writes, [
        ["in turn", pong(1)],
        ["at once", pong(2)],
        ["at once", pong(3) + pong(4)]
      ])
    )
  )

  it.effect("answers in turn while something else waits to be written", () =>
    Effect.map(written([ping(1), ping(2), ping(3) + ping(4)], false), (writes) =>
      assert.deepStrictEqual(writes, [
        ["in turn", pong(1)],
        ["in turn", pong(2)],
        ["in turn", pong(3) + pong(4)]
      ])
    )
  )
})
