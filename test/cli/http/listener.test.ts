import { connect, type Socket } from "node:net"

import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { HttpRouter } from "effect/http"

import { httpListener } from "../../../src/cli/http/httpListener.ts"
import { makeMemory } from "../../../src/internal/http/MemoryBudget.ts"
import * as McpHttp from "../../../src/mcp/transport/http.ts"
import { FixtureServer, port } from "../../support/fixtures/FixtureServer.ts"
import { toolCall } from "../../support/fixtures/messages.ts"

const memory = makeMemory()
const Listening = HttpRouter.serve(McpHttp.layer({ memory }), { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provideMerge(httpListener({ host: "127.0.0.1", port: 0 }, { stall: 300, total: 10_000, every: 100 })),
  Layer.provideMerge(FixtureServer)
)

const open = (at: number) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect(at, "127.0.0.1", () => resume(Effect.succeed(socket)))
      socket.on("error", () => {})
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const post = (at: number, body: string) =>
  `POST /mcp HTTP/1.1\r\nHost: localhost:${at}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

it.live("serves 256 connections at once", () =>
  Effect.gen(function* () {
    const at = yield* port
    const sockets = yield* Effect.forEach(Array.from({ length: 256 }), () => open(at), { concurrency: 64 })
    const first = (socket: Socket) =>
      Effect.callback<string>((resume) => {
        socket.once("data", (chunk) => resume(Effect.succeed(String(chunk))))
        socket.once("close", () => resume(Effect.succeed("closed")))
        socket.write(post(at, JSON.stringify(toolCall("echo", { text: "a" }))))
      })
    const answers = yield* Effect.forEach(sockets, first, { concurrency: "unbounded" })
    assert.lengthOf(
      answers.filter((answer) => answer.startsWith("HTTP/1.1 200")),
      256
    )
  }).pipe(Effect.scoped, Effect.provide(Listening))
)

it.live("cuts callers that do not read their answer, gives their memory back, and lets one that reads have it", () =>
  Effect.gen(function* () {
    const at = yield* port
    const text = "x".repeat(3 * 1024 * 1024)
    const body = post(at, JSON.stringify(toolCall("echo", { text })))
    const memoryIs = (state: "used" | "free") =>
      Effect.repeat(
        Effect.sync(() => memory.used() > 0),
        { until: (isUsed) => isUsed === (state === "used"), schedule: Schedule.spaced("10 millis") }
      )
    const deaf = yield* open(at)
    // The system itself takes some megabytes of what nobody reads.
    deaf.pause().write(body.repeat(6))
    yield* memoryIs("used")
    yield* memoryIs("free")
    const reader = yield* open(at)
    const bytes = yield* Effect.callback<number>((resume) => {
      let bytes = 0
      reader.on("data", (chunk) => {
        bytes += chunk.length
        if (bytes > text.length) resume(Effect.succeed(bytes))
      })
      reader.once("close", () => resume(Effect.succeed(bytes)))
      reader.write(body)
    })
    assert.isAbove(bytes, text.length)
  }).pipe(Effect.scoped, Effect.provide(Listening))
)
