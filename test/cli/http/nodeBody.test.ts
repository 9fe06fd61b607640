import { createServer } from "node:http"
import { connect, type Socket } from "node:net"

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

import { nodeBody } from "../../../src/cli/http/httpListener.ts"
import { makeMemory } from "../../../src/internal/http/MemoryBudget.ts"
import type { BodyReaders } from "../../../src/mcp/transport/body.ts"
import * as McpHttp from "../../../src/mcp/transport/http.ts"
import { largestMessage } from "../../../src/mcp/transport/readMessage.ts"
import { FixtureServer, port } from "../../support/fixtures/FixtureServer.ts"
import { toolCall } from "../../support/fixtures/messages.ts"

class SocketError extends Schema.TaggedError<SocketError>()("SocketError", { cause: Schema.Defect() }) {}

const listening = (bodies: BodyReaders, memory = makeMemory()) =>
  HttpRouter.serve(McpHttp.layer({ bodies, memory }), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
    Layer.provideMerge(FixtureServer)
  )

/** The words of the server until it closes, or until `isEnough`, to a caller that does `talk`. */
const talking = (
  talk: (socket: Socket, heard: () => string) => void,
  isEnough: (heard: string) => boolean = () => false
) =>
  Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
    Effect.callback<string, SocketError>((resume) => {
      let heard = ""
      const socket = connect("port" in address ? address.port : 0, "127.0.0.1", () => talk(socket, () => heard))
      socket.on("data", (chunk) => {
        heard += String(chunk)
        if (isEnough(heard)) resume(Effect.succeed(heard))
      })
      socket.on("close", () => resume(Effect.succeed(heard)))
      socket.on("error", (cause) =>
        resume(heard === "" ? Effect.fail(new SocketError({ cause })) : Effect.succeed(heard))
      )
      return Effect.sync(() => socket.destroy())
    })
  )

const head = (...lines: ReadonlyArray<string>) =>
  ["POST /mcp HTTP/1.1", "Host: localhost", ...lines, "", ""].join("\r\n")
const statusOf = (heard: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1])

const hosted = (port: number, text: string) => text.replace("Host: localhost", `Host: localhost:${port}`)

const readers: ReadonlyArray<readonly [string, BodyReaders]> = [
  ["the command's reader", nodeBody],
  ["effect's own reader", () => undefined]
]

for (const [name, bodies] of readers) {
  it.live(`${name} puts a body together that comes in pieces within characters`, () =>
    Effect.gen(function* () {
      const ours = yield* port
      const body = Buffer.from(JSON.stringify(toolCall("echo", { text: "größer" }, 1)))
      const cut = body.indexOf("ö") + 1
      const heard = yield* talking((socket) => {
        socket.write(hosted(ours, head(`Content-Length: ${body.length}`, "Connection: close")))
        socket.write(body.subarray(0, cut), () => setImmediate(() => socket.write(body.subarray(cut))))
      })
      assert.strictEqual(statusOf(heard), 200)
      assert.include(heard, "größer")
    }).pipe(Effect.provide(listening(bodies)))
  )

  it.live(`${name} tells who asks first that the body may come`, () =>
    Effect.gen(function* () {
      const ours = yield* port
      const body = JSON.stringify(toolCall("echo", { text: "asked" }, 1))
      const heard = yield* talking((socket, heard) => {
        socket.write(hosted(ours, head("Expect: 100-continue", `Content-Length: ${body.length}`, "Connection: close")))
        socket.once("data", () => {
          if (statusOf(heard()) === 100) socket.write(body)
        })
      })
      assert.strictEqual(statusOf(heard), 100)
      assert.include(heard, "HTTP/1.1 200")
      assert.include(heard, "asked")
    }).pipe(Effect.provide(listening(bodies)))
  )

  it.live(`${name} reads a body of unknown length no further than a message may be large`, () =>
    Effect.gen(function* () {
      const ours = yield* port
      const piece = Buffer.alloc(1024 * 1024, " ")
      const heard = yield* talking(
        (socket) => {
          socket.write(hosted(ours, head("Transfer-Encoding: chunked")))
          for (let sent = 0; sent <= largestMessage; sent += piece.length) {
            socket.write(`${piece.length.toString(16)}\r\n`)
            socket.write(piece)
            socket.write("\r\n")
          }
        },
        (heard) => heard.includes("\r\n\r\n")
      )
      assert.strictEqual(statusOf(heard), 413)
    }).pipe(Effect.provide(listening(bodies)))
  )

  it.live(`${name} gives up a body whose caller leaves, with the memory that was kept for it`, () => {
    const memory = makeMemory()
    const until = (isSo: (used: number) => boolean) =>
      Effect.repeat(Effect.delay(Effect.sync(memory.used), 1), { until: isSo })
    return Effect.gen(function* () {
      const ours = yield* port
      const left = yield* Effect.forkChild(
        talking((socket) => {
          socket.write(`${hosted(ours, head("Content-Length: 1000000"))}{"jsonrpc":`)
        })
      )
      yield* until((used) => used > 0)
      yield* Fiber.interrupt(left)
      yield* until((used) => used === 0)
    }).pipe(Effect.provide(listening(bodies, memory)))
  })
}
