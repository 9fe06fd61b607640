import { connect, createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer, type TlsOptions } from "node:tls"
import { gzipSync } from "node:zlib"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import * as NodeHttpClients from "../../../src/cli/upstream/NodeHttpClients.ts"
import { HttpClients } from "../../../src/internal/http/HttpClients.ts"
import * as Upstream from "../../../src/internal/http/Upstream.ts"
import { certificateFile, identity } from "../../support/certificates.ts"
import { endsAfter, listen, replies, writes } from "../../support/loopback.ts"
import { canary, withKey } from "./clients.ts"

const caFile = certificateFile("loopback")
const loopback = identity("loopback")

const through = (proxy: string, baseUrl: string) =>
  HttpClients.use(({ make }) => make({ proxy, caFile })).pipe(
    Effect.map((client) => Upstream.make(client, { baseUrl, retries: 0 })),
    Effect.provide(NodeHttpClients.layer)
  )

/** A proxy that connects to whatever it is asked for, after it said this; what it was asked and saw pass by is kept. */
const tunnelling = Effect.fnUntraced(function* (says: ReadonlyArray<string>, tls?: TlsOptions) {
  const seen = { heads: new Array<string>(), passing: "" }
  const open = new Set<Socket>()
  const accept = (client: Socket) => {
    open.add(client)
    client.on("error", () => {}).on("close", () => open.delete(client))
    client.once("data", (head) => {
      seen.heads.push(head.toString("latin1"))
      const [, host = "", port] = /^CONNECT (\S+):(\d+) /.exec(head.toString("latin1")) ?? []
      const upstream = connect({ host, port: Number(port) }, () => {
        says.forEach((piece, at) => setTimeout(() => client.write(piece), 5 * at))
        client.on("data", (bytes) => (seen.passing += bytes.toString("latin1")))
        client.pipe(upstream).pipe(client)
      })
      upstream.on("error", () => client.destroy()).on("close", () => client.destroy())
    })
  }
  const server = yield* Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const made = tls === undefined ? createServer(accept) : createTlsServer(tls, accept)
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.callback<void>((resume) => {
        made.close(() => resume(Effect.void))
        for (const socket of open) socket.destroy()
      })
  )
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  return { ...seen, seen, url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}` }
})

const made = "HTTP/1.1 200 Connection established\r\n\r\n"
const interim = "HTTP/1.1 100 Continue\r\n\r\n"

describe("a tunnel through a proxy", () => {
  it.effect.each([
    ["at once", [made], undefined],
    ["with headers, in pieces", ["HTTP/1.0 20", "0 OK\r\nVia: x\r", "\n\r\n"], undefined],
    ["after saying that it is still at it", [interim, interim + made], undefined],
    ["over TLS", [made], loopback]
  ] as const)("that is made %s leads to the host, is used again, and shows nobody what is said", ([, says, tls]) =>
    Effect.gen(function* () {
      const server = yield* listen(replies(200, "{}"), loopback)
      const proxy = yield* tunnelling(says, tls)
      const upstream = yield* through(proxy.url, server.url)
      assert.deepInclude(yield* upstream.send(withKey("POST")), { status: 200, text: "{}" })
      assert.deepInclude(yield* upstream.send(withKey("GET")), { status: 200, text: "{}" })
      assert.strictEqual(server.counts.connections, 1)
      assert.include(server.received[0]?.head, canary)
      assert.lengthOf(proxy.heads, 1)
      assert.match(
        proxy.heads[0] ?? "",
        new RegExp(`^CONNECT 127\\.0\\.0\\.1:${server.port} HTTP/1\\.1\r\nhost: `, "i")
      )
      assert.notInclude(proxy.heads.join("") + proxy.seen.passing, canary)
    })
  )

  it.effect("survives a 100 Continue of the engine, and unpacks its answers", () =>
    Effect.gen(function* () {
      const packed = gzipSync('{"a":1}')
      const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`
      const server = yield* listen(writes(Buffer.concat([Buffer.from(interim + head), packed])), loopback)
      const upstream = yield* through((yield* tunnelling([made])).url, server.url)
      for (const method of ["POST", "GET"] as const) {
        assert.deepInclude(yield* upstream.send(withKey(method)), { status: 200, text: '{"a":1}' })
      }
      assert.strictEqual(server.counts.connections, 1)
    })
  )

  it.effect("that breaks under a request leaves open whether it arrived", () =>
    Effect.gen(function* () {
      const server = yield* listen(endsAfter(""), loopback)
      const upstream = yield* through((yield* tunnelling([made])).url, server.url)
      const failure = yield* Effect.flip(upstream.send(withKey("POST")))
      assert.containSubset(failure, { _tag: "Unreachable", phase: "waiting" })
    })
  )

  it.effect.each([
    ["answers nonsense", endsAfter("what?\r\n\r\n"), "ECONNRESET"],
    ["answers without an end", writes(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}`), "ERR_PROXY_TUNNEL"],
    ["hangs up", endsAfter(""), "ECONNRESET"]
  ] as const)("that is never made, since the proxy %s, is known not to have carried anything", ([, act, code]) =>
    Effect.gen(function* () {
      const proxy = yield* listen(act)
      const upstream = yield* through(proxy.url, "https://engine.test")
      assert.containSubset(yield* Effect.flip(upstream.send(withKey("POST"))), { code, phase: "connecting" })
      yield* proxy.quiet
    })
  )

  it.effect("is not waited for without end", () =>
    Effect.gen(function* () {
      const proxy = yield* listen(() => {})
      const upstream = yield* through(proxy.url, "https://engine.test")
      const sending = yield* Effect.forkChild(Effect.flip(upstream.send(withKey("POST"))))
      yield* proxy.next
      yield* TestClock.adjust("8 seconds")
      assert.containSubset(yield* Fiber.join(sending), { code: "ETIMEDOUT", phase: "connecting" })
    })
  )
})

describe("a request through a proxy", () => {
  it.effect("survives a 100 Continue, and tells the proxy who asks", () =>
    Effect.gen(function* () {
      const proxy = yield* listen(writes(`${interim}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`))
      const upstream = yield* through(proxy.url.replace("//", "//some%20one:p%40ss@"), "http://engine.test:81")
      for (const method of ["POST", "GET"] as const) {
        assert.deepInclude(yield* upstream.send(withKey(method, "/a?b=c")), { status: 200, text: "{}" })
      }
      assert.strictEqual(proxy.counts.connections, 1)
      const { head = "" } = proxy.received[0] ?? {}
      assert.match(head, /^POST http:\/\/engine\.test:81\/a\?b=c HTTP\/1\.1/)
      assert.match(head, /^host: engine\.test:81\r$/im)
      assert.include(head, `proxy-authorization: Basic ${btoa("some one:p@ss")}`)
    })
  )

  it.effect("makes Node warn of nothing", () =>
    Effect.gen(function* () {
      const warnings: Array<Error> = []
      const listener = (warning: Error) => warnings.push(warning)
      yield* Effect.acquireRelease(
        Effect.sync(() => process.on("warning", listener)),
        () => Effect.sync(() => process.off("warning", listener))
      )
      const proxy = yield* listen(replies(200, "{}"))
      yield* (yield* through(proxy.url, "http://engine.test")).send(withKey("GET"))
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.deepStrictEqual(warnings, [])
    })
  )
})
