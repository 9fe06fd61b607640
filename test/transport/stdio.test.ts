import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Sink, Stdio, Stream } from "effect"
import { badArgument } from "effect/PlatformError"
import { TestClock } from "effect/testing"

import { serveStdio } from "../../src/transport/stdio.ts"
import { FixtureServer, Gate } from "../support/fixtures/FixtureServer.ts"
import { connect } from "../support/fixtures/StdioClient.ts"

const call = (id: number | string, name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args }
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

  it.effect("ends by itself when the input ends, after what is in flight", () =>
    Effect.gen(function* () {
      const client = yield* connect
      const { gate, waiting } = yield* Gate
      yield* client.send(call(1, "wait"))
      yield* Deferred.await(waiting)
      yield* client.end
      yield* Deferred.succeed(gate, undefined)
      assert.nestedPropertyVal(yield* client.receive, "result.content[0].text", `{"opened":true}`)
      yield* client.close
    })
  )
})

layer(FixtureServer)("stdio", (it) => {
  it.effect("ends after five seconds when what is in flight does not", () =>
    Effect.gen(function* () {
      const { waiting } = yield* Gate
      const client = yield* connect
      yield* client.send(call(1, "wait"))
      yield* Deferred.await(waiting)
      const closing = yield* Effect.forkChild(client.close)
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(closing)
      assert.strictEqual(yield* client.pending, 0)
    })
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
