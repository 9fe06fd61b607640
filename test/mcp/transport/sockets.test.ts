import { createServer } from "node:http"
import { connect as connectSocket } from "node:net"

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { HttpRouter } from "effect/http"

import * as McpHttp from "../../../src/mcp/transport/http.ts"
import { FixtureServer, Gate, port } from "../../support/fixtures/FixtureServer.ts"
import { toolCall } from "../../support/fixtures/messages.ts"

class SocketError extends Schema.TaggedError<SocketError>()("SocketError", { cause: Schema.Defect() }) {}

const Listening = HttpRouter.serve(Layer.mergeAll(McpHttp.layer(), McpHttp.fallback()), {
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
  Layer.provideMerge(FixtureServer)
)

/** Writes bytes to the port and reads until the other side closes. */
const exchange = (port: number, bytes: string) =>
  Effect.callback<string, SocketError>((resume) => {
    let received = ""
    const socket = connectSocket(port, "127.0.0.1", () => socket.write(bytes))
    socket.on("data", (chunk) => {
      received += String(chunk)
    })
    socket.on("end", () => resume(Effect.succeed(received)))
    socket.on("error", (cause) => resume(Effect.fail(new SocketError({ cause }))))
    return Effect.sync(() => socket.destroy())
  })

const post = (host: string, body: string, more = "") =>
  `POST /mcp HTTP/1.1\r\n${host}${more}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`

const statusOf = (response: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1])

it.live("a raw request needs exactly one Host, and one that is ours with our port", () =>
  Effect.gen(function* () {
    const ours = yield* port
    const status = (lines: string) => Effect.map(exchange(ours, post(lines, "{}")), statusOf)
    assert.strictEqual(yield* status(`Host: localhost:${ours}\r\n`), 400)
    assert.strictEqual(yield* status(`Host: localhost:${ours + 1}\r\n`), 403)
    assert.strictEqual(yield* status("Host: localhost\r\n"), 403)
    assert.strictEqual(yield* status(""), 400)
    const twice = yield* exchange(ours, post(`Host: localhost:${ours}\r\nhost: localhost:${ours}\r\n`, "{}"))
    assert.include(twice, "Exactly one Host")
    const elsewhere = yield* exchange(
      ours,
      `GET /.well-known/x HTTP/1.1\r\nHost: localhost:${ours}\r\nConnection: close\r\n\r\n`
    )
    assert.strictEqual(statusOf(elsewhere), 404)
    const head = yield* exchange(ours, `HEAD /health HTTP/1.1\r\nHost: localhost:${ours}\r\nConnection: close\r\n\r\n`)
    assert.strictEqual(statusOf(head), 200)
    const rebound = yield* exchange(ours, "GET /register HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n")
    assert.strictEqual(statusOf(rebound), 403)
  }).pipe(Effect.provide(Listening))
)

it.live("a body that says it is too large is not waited for", () =>
  Effect.gen(function* () {
    const ours = yield* port
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost:${ours}\r\nContent-Length: 99999999\r\n\r\n`
    assert.strictEqual(statusOf(yield* exchange(ours, head)), 413)
  }).pipe(Effect.provide(Listening))
)

it.live("requests of one connection sent at once are answered in their order", () =>
  Effect.gen(function* () {
    const ours = yield* port
    const bodies = [1, 2, 3].map((id) => JSON.stringify(toolCall("echo", { text: `${id}` }, id)))
    const last = bodies.length - 1
    const all = bodies.map((body, at) =>
      post(`Host: localhost:${ours}\r\n`, body).replace(at === last ? "" : "Connection: close\r\n", "")
    )
    const received = yield* exchange(ours, all.join(""))
    assert.deepEqual(
      [...received.matchAll(/"id":(\d)/g)].map(([, id]) => id),
      ["1", "2", "3"]
    )
  }).pipe(Effect.provide(Listening))
)

it.live("a call in flight is answered before the server closes", () =>
  Effect.gen(function* () {
    const answer = yield* Effect.scoped(
      Effect.gen(function* () {
        const context = yield* Layer.build(Listening)
        const run = Effect.gen(function* () {
          const ours = yield* port
          const { gate, waiting } = yield* Gate
          const body = JSON.stringify(toolCall("wait"))
          const asking = yield* Effect.forkDetach(exchange(ours, post(`Host: localhost:${ours}\r\n`, body)))
          yield* Deferred.await(waiting)
          yield* Effect.forkDetach(Effect.andThen(Effect.sleep("50 millis"), Deferred.succeed(gate, undefined)))
          return asking
        })
        return yield* Effect.provideContext(run, context)
      })
    )
    const response = yield* Fiber.join(answer)
    assert.include(response, "opened")
  })
)
