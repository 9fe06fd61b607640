import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { createServer, type Server, type Socket } from "node:net"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"

import {
  closedPort,
  endsAfter,
  listen,
  neverEnds,
  replies,
  resetsAfter,
  staysSilent,
  writes
} from "../../support/loopback.ts"
import { clientNames, upstreamAt, withKey } from "./clients.ts"

const MiB = 1024 * 1024

/** A port on which connections are taken like this, until the scope ends. */
const portThat = (take: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer((socket) => take(socket.on("error", () => {})))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  ).pipe(Effect.map((server) => Schema.decodeUnknownSync(Schema.Struct({ port: Schema.Int }))(server.address()).port))

/** Closes every connection as soon as something comes over it. */
const closedDuringHandshake = portThat((socket) => socket.on("data", () => socket.resetAndDestroy()))

const half = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"data":[1,2'
const headersOnly = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
const chunk = `${(16 * 1024).toString(16)}\r\n${" ".repeat(16 * 1024)}\r\n`

describe.each(clientNames)("over %s", (client) => {
  it.effect("an answer comes back whole, in one piece or in many, in every alphabet", () =>
    Effect.gen(function* () {
      const text = JSON.stringify({ name: "Ünïcode ☕ 𝄞" })
      const bytes = Buffer.from(text)
      const pieces = [...bytes].map((byte) =>
        Buffer.concat([Buffer.from("1\r\n"), Buffer.from([byte]), Buffer.from("\r\n")])
      )
      const whole = yield* listen(replies(200, text))
      const chunked = yield* listen(
        writes(Buffer.concat([Buffer.from(headersOnly), ...pieces, Buffer.from("0\r\n\r\n")]))
      )
      const unbounded = yield* listen(endsAfter(`HTTP/1.1 200 OK\r\n\r\n${text}`))
      for (const { url } of [whole, chunked, unbounded]) {
        const upstream = yield* upstreamAt(client, url)
        const reply = yield* upstream.send(withKey("GET"))
        assert.deepInclude(reply, { status: 200, text })
      }
    })
  )

  it.effect("an answer without a body is an empty text", () =>
    Effect.gen(function* () {
      for (const bytes of ["HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"]) {
        const { url } = yield* listen(writes(bytes))
        const upstream = yield* upstreamAt(client, url)
        assert.strictEqual((yield* upstream.send(withKey("GET"))).text, "")
      }
    })
  )

  it.effect("a byte order mark before the text is not part of it", () =>
    Effect.gen(function* () {
      const { url } = yield* listen(replies(200, "\uFEFF{}"))
      const upstream = yield* upstreamAt(client, url)
      assert.strictEqual((yield* upstream.send(withKey("GET"))).text, "{}")
    })
  )

  it.effect("calls that follow each other share connections", () =>
    Effect.gen(function* () {
      const server = yield* listen(replies(200, "{}"))
      const upstream = yield* upstreamAt(client, server.url)
      for (const method of ["GET", "POST", "GET", "POST", "GET"] as const) yield* upstream.send(withKey(method))
      assert.lengthOf(server.received, 5)
      assert.isAtMost(server.counts.connections, 2)
    })
  )

  it.live("a closed port is found out, attempts and all, and not by waiting", () =>
    Effect.gen(function* () {
      const port = yield* closedPort
      const upstream = yield* upstreamAt(client, `http://127.0.0.1:${port}`, { retries: 2 })
      const failure = yield* Effect.flip(upstream.send({ ...withKey("POST"), timeout: "5 seconds" }))
      assert.containSubset(failure, { _tag: "Unreachable", code: "ECONNREFUSED", phase: "connecting" })
    })
  )

  it.live("a host name that nobody knows is named as such", () =>
    Effect.gen(function* () {
      const upstream = yield* upstreamAt(client, "http://host.invalid")
      const failure = yield* Effect.flip(upstream.send(withKey("POST")))
      assert.containSubset(failure, { _tag: "Unreachable", phase: "connecting" })
      assert.match(failure._tag === "Unreachable" ? failure.code : "", /^(ENOTFOUND|EAI_AGAIN)$/)
    })
  )

  it.effect.each([
    ["never answers", staysSilent],
    ["sends headers and no more", writes(headersOnly)],
    ["stops in the middle of the body", writes(half)]
  ] as const)("an upstream that %s is given up after 30 seconds, and its connection is cut", ([, act]) =>
    Effect.gen(function* () {
      const server = yield* listen(act)
      const upstream = yield* upstreamAt(client, server.url)
      const call = yield* Effect.forkChild(Effect.flip(upstream.send(withKey("POST"))))
      yield* server.next
      yield* TestClock.adjust("30 seconds")
      assert.containSubset(yield* Fiber.join(call), { _tag: "UpstreamTimeout", milliseconds: 30_000, sent: true })
      yield* server.quiet
    })
  )

  it.effect.each([
    ["before it is answered", staysSilent],
    ["while its answer is coming", writes(half)]
  ] as const)("a call that is cancelled %s cuts its connection and frees its place", ([, act]) =>
    Effect.gen(function* () {
      const server = yield* listen((socket, request) =>
        request.connection === 1 ? act(socket, request) : replies(200, "next")(socket, request)
      )
      const upstream = yield* upstreamAt(client, server.url, { concurrency: 1 })
      const call = yield* Effect.forkChild(upstream.send(withKey("GET")))
      yield* server.next
      yield* Fiber.interrupt(call)
      yield* server.quiet
      assert.strictEqual((yield* upstream.send(withKey("GET"))).text, "next")
    })
  )

  it.effect.each([
    ["a reset after the request", resetsAfter("")],
    ["the end after the request", endsAfter("")],
    ["a reset in the middle of the body", resetsAfter(half)],
    ["the end in the middle of the body", endsAfter(half)],
    ["the end in the middle of a chunk", endsAfter(`${headersOnly}64\r\n{"data":`)],
    ["words that are not HTTP", endsAfter("220 mail.example ESMTP\r\n")]
  ] as const)("%s is a failure that does not claim that nothing arrived, and never half an answer", ([, act]) =>
    Effect.gen(function* () {
      const { url } = yield* listen(act)
      const upstream = yield* upstreamAt(client, url)
      const failure = yield* Effect.flip(upstream.send(withKey("POST")))
      assert.strictEqual(failure._tag, "Unreachable")
      assert.notStrictEqual(failure._tag === "Unreachable" ? failure.phase : "connecting", "connecting")
    })
  )

  it.live("a kept connection that dies under a request is replaced for a read, and not for a write", () =>
    Effect.gen(function* () {
      let dying = true
      const server = yield* listen((socket, request) => {
        const dies = dying && request.turn > 1
        if (dies) dying = false
        return dies ? socket.resetAndDestroy() : replies(200, "{}")(socket, request)
      })
      const upstream = yield* upstreamAt(client, server.url, { retries: 2 })
      const reads = yield* Effect.replicateEffect(upstream.send(withKey("GET")), 3)
      assert.deepEqual(
        reads.map(({ status }) => status),
        [200, 200, 200]
      )
      assert.lengthOf(server.received, 4)
      dying = true
      const failure = yield* Effect.flip(Effect.replicateEffect(upstream.send(withKey("POST")), 3))
      assert.containSubset(failure, { _tag: "Unreachable", phase: "waiting" })
      assert.isFalse(dying)
    })
  )

  it.effect.each([
    ["announced", neverEnds(`HTTP/1.1 200 OK\r\ncontent-length: ${100 * MiB}\r\n\r\n`, " ".repeat(16 * 1024))],
    ["without an end", neverEnds(headersOnly, chunk)]
  ] as const)("an answer over the limit is refused, and little more than the limit is read: %s", ([, act]) =>
    Effect.gen(function* () {
      const server = yield* listen(act)
      const upstream = yield* upstreamAt(client, server.url, { maxReplyBytes: MiB })
      const failure = yield* Effect.flip(upstream.send(withKey("GET")))
      assert.containSubset(failure, { _tag: "ReplyTooLarge", limit: MiB })
      yield* server.quiet
      assert.isBelow(server.counts.bytesWritten, 16 * MiB)
    })
  )

  it.effect("an answer that comes before all of its request has left is one, and the rest goes nowhere", () =>
    Effect.gen(function* () {
      const port = yield* portThat((socket) =>
        socket.once("data", () => {
          socket.pause()
          socket.write("HTTP/1.1 413 Word\r\ncontent-length: 2\r\n\r\n{}")
        })
      )
      const upstream = yield* upstreamAt(client, `http://127.0.0.1:${port}`)
      for (let round = 0; round < 2; round++) {
        const reply = yield* upstream.send({ ...withKey("POST"), body: { x: "x".repeat(16 * MiB) } })
        assert.deepInclude(reply, { status: 413, text: "{}" })
      }
    })
  )

  it.effect("an answer as long as the limit is read", () =>
    Effect.gen(function* () {
      const { url } = yield* listen(replies(200, "x".repeat(1000)))
      const exact = yield* upstreamAt(client, url, { maxReplyBytes: 1000 })
      assert.lengthOf((yield* exact.send(withKey("GET"))).text, 1000)
      const short = yield* upstreamAt(client, url, { maxReplyBytes: 999 })
      assert.containSubset(yield* Effect.flip(short.send(withKey("GET"))), { _tag: "ReplyTooLarge", limit: 999 })
    })
  )

  it.effect("a compressed answer is unpacked, whatever its status", () =>
    Effect.gen(function* () {
      const text = JSON.stringify({ message: "packed" })
      const packed = [
        ["gzip", gzipSync(text)],
        ["deflate", deflateSync(text)],
        ["br", brotliCompressSync(text)]
      ] as const
      for (const status of [200, 404, 500]) {
        for (const [coding, bytes] of packed) {
          const head = `HTTP/1.1 ${status} Word\r\ncontent-encoding: ${coding}\r\ncontent-length: ${bytes.byteLength}\r\n\r\n`
          const { url } = yield* listen(writes(Buffer.concat([Buffer.from(head), bytes])))
          const upstream = yield* upstreamAt(client, url)
          assert.deepInclude(yield* upstream.send(withKey("POST")), { status, text })
        }
      }
    })
  )

  it.effect("a compressed answer nobody asked for never becomes more than the limit", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(Buffer.alloc(16 * MiB))
      const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.byteLength}\r\n\r\n`
      const { url } = yield* listen(writes(Buffer.concat([Buffer.from(head), bomb])))
      const upstream = yield* upstreamAt(client, url, { maxReplyBytes: MiB })
      const length = yield* upstream.send(withKey("GET")).pipe(
        Effect.map(({ text }) => text.length),
        Effect.catchTag("ReplyTooLarge", ({ limit }) => Effect.succeed(limit))
      )
      assert.isAtMost(length, MiB)
    })
  )
})

describe("over the client of the command", () => {
  it.effect("a connection that breaks in its handshake, and a header that cannot be sent, have sent nothing", () =>
    Effect.gen(function* () {
      const port = yield* closedDuringHandshake
      const broken = yield* upstreamAt("the client of the command", `https://127.0.0.1:${port}`)
      assert.containSubset(yield* Effect.flip(broken.send(withKey("POST"))), {
        _tag: "Unreachable",
        phase: "connecting"
      })
      const server = yield* listen(replies(200, "{}"))
      const upstream = yield* upstreamAt("the client of the command", server.url)
      const request = { ...withKey("POST"), headers: { "x-note": "a\nb" } }
      assert.containSubset(yield* Effect.flip(upstream.send(request)), {
        _tag: "Unreachable",
        code: "ERR_INVALID_CHAR",
        phase: "connecting"
      })
      assert.lengthOf(server.received, 0)
    })
  )

  it.live.each(["GET", "POST"] as const)("a %s never leaves over a connection whose end has come", (method) =>
    Effect.gen(function* () {
      const sockets: Array<Socket> = []
      const server = yield* listen((socket, request) => {
        sockets.push(socket)
        replies(200, "{}")(socket, request)
      })
      const upstream = yield* upstreamAt("the client of the command", server.url, { retries: 2 })
      for (let round = 1; round < 5; round++) {
        yield* upstream.send(withKey("GET"))
        for (const socket of sockets) socket.resetAndDestroy()
        assert.strictEqual((yield* upstream.send(withKey(method))).status, 200)
        assert.lengthOf(server.received, 2 * round)
      }
    })
  )

  it.effect("half of a compressed answer is no answer", () =>
    Effect.gen(function* () {
      const whole = gzipSync(JSON.stringify({ message: "x".repeat(5000) }))
      const half = whole.subarray(0, whole.byteLength / 2)
      const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${half.byteLength}\r\n\r\n`
      const { url } = yield* listen(writes(Buffer.concat([Buffer.from(head), half])))
      const upstream = yield* upstreamAt("the client of the command", url)
      assert.containSubset(yield* Effect.flip(upstream.send(withKey("POST"))), {
        _tag: "Unreachable",
        code: "Z_BUF_ERROR",
        problem: "its compressed answer cannot be unpacked (Z_BUF_ERROR)",
        phase: "reading"
      })
    })
  )

  it.effect.each([
    [
      "is packed thousands of times",
      `content-encoding: ${Array.from({ length: 2500 }, () => "gzip").join(",")}\r\ncontent-length: 2\r\n\r\n{}`,
      { code: "Z_BUF_ERROR", phase: "reading" }
    ],
    ["goes on in another protocol", "connection: upgrade\r\nupgrade: x\r\n\r\n{}", { code: "HPE_PAUSED_UPGRADE" }]
  ] as const)("an answer that %s is none, and known as such at once", ([, rest, expected]) =>
    Effect.gen(function* () {
      const status = rest.includes("upgrade") ? "101 Switching Protocols" : "200 OK"
      const server = yield* listen(writes(`HTTP/1.1 ${status}\r\n${rest}`))
      const upstream = yield* upstreamAt("the client of the command", server.url)
      assert.containSubset(yield* Effect.flip(upstream.send(withKey("POST"))), { _tag: "Unreachable", ...expected })
      yield* server.quiet
    })
  )

  it.effect("a call that is cancelled as the head of a compressed answer comes cuts its connection", () =>
    Effect.gen(function* () {
      const server = yield* listen(writes("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 100\r\n\r\n"))
      const upstream = yield* upstreamAt("the client of the command", server.url)
      const call = yield* Effect.forkChild(upstream.send(withKey("GET")), { startImmediately: true })
      yield* Effect.callback<void>((resume) => {
        const come = () => {
          unsubscribe("http.client.response.finish", come)
          process.nextTick(() => {
            call.interruptUnsafe()
            resume(Effect.void)
          })
        }
        subscribe("http.client.response.finish", come)
      })
      yield* Fiber.await(call)
      yield* server.quiet
    })
  )

  it.effect("a multipart form arrives whole", () =>
    Effect.gen(function* () {
      const server = yield* listen(replies(200, "{}"))
      const upstream = yield* upstreamAt("the client of the command", server.url)
      yield* upstream.send({ method: "POST", path: "/", form: { field: "ünïcode" } })
      const [received] = server.received
      assert.match(received?.head ?? "", /content-type: multipart\/form-data; boundary=/i)
      assert.match(received?.head ?? "", /content-length: \d+/i)
    })
  )

  const interim = "HTTP/1.1 100 Continue\r\n\r\n"
  const answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"

  it.effect.each([
    ["in one piece with the answer", [interim + answer]],
    ["by itself", [interim, answer]],
    [
      "in small pieces",
      ["HTTP/1", ".1 100 Continue\r\n", "x: y\r\n\r\nHTT", "P/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"]
    ],
    ["twice", [interim + interim, answer]]
  ] as const)("a 100 Continue that nobody asked for is no broken connection: %s", ([, pieces]) =>
    Effect.gen(function* () {
      const server = yield* listen((socket) => {
        const [first, ...rest] = pieces
        socket.setNoDelay(true)
        socket.write(first)
        rest.forEach((piece, index) => setTimeout(() => socket.write(piece), 5 * (index + 1)))
      })
      const upstream = yield* upstreamAt("the client of the command", server.url)
      for (const method of ["POST", "GET"] as const) {
        assert.deepInclude(yield* upstream.send(withKey(method)), { status: 200, text: "{}" })
      }
      assert.strictEqual(server.counts.connections, 1)
    })
  )
})
