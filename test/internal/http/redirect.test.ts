import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { listen, replies, writes } from "../../support/loopback.ts"
import { canary, clientNames, upstreamAt, withKey } from "./clients.ts"

const statuses = [301, 302, 303, 307, 308]

describe.each(clientNames)("a redirect, over %s,", (client) => {
  it.effect("is followed by a read to another path of the same origin, key and all", () =>
    Effect.gen(function* () {
      for (const status of statuses) {
        const server = yield* listen((socket, request) => {
          const moved = request.head.startsWith("GET /new?page=2 ")
          return (moved ? replies(200, "found") : replies(status, "", { location: "/new?page=2" }))(socket, request)
        })
        const upstream = yield* upstreamAt(client, server.url)
        assert.strictEqual((yield* upstream.send(withKey("GET", "/old"))).text, "found")
        assert.lengthOf(server.received, 2)
        for (const { head } of server.received) assert.include(head, canary)
      }
    })
  )

  it.effect("to another origin is refused by its name, and that origin hears nothing", () =>
    Effect.gen(function* () {
      for (const status of statuses) {
        for (const method of ["GET", "POST"] as const) {
          const elsewhere = yield* listen(replies(200, "{}"))
          const server = yield* listen(replies(status, "", { location: `${elsewhere.url}/steal?secret=path` }))
          const upstream = yield* upstreamAt(client, server.url)
          const failure = yield* Effect.flip(upstream.send(withKey(method)))
          assert.containSubset(failure, { _tag: "RedirectRefused", status })
          const { problem } = failure._tag === "RedirectRefused" ? failure : { problem: "" }
          assert.include(problem, elsewhere.url)
          assert.notInclude(problem, "steal")
          assert.lengthOf(server.received, 1)
          assert.strictEqual(elsewhere.counts.connections, 0)
        }
      }
    })
  )

  it.effect.each([
    ["another scheme", "https://127.0.0.1:PORT/", "https://127.0.0.1:"],
    ["another name of the same host", "http://localhost:PORT/", "http://localhost:"],
    ["another port", "http://127.0.0.1:1/", "http://127.0.0.1:1"],
    ["no scheme", "//elsewhere.test/x", "http://elsewhere.test"],
    ["a file", "file:///etc/passwd", "file:"],
    ["a script", "javascript:alert(1)", "javascript:"],
    ["data", "data:text/plain,x", "data:"]
  ] as const)("to %s is another origin", ([, location, named]) =>
    Effect.gen(function* () {
      const server = yield* listen((socket, request) => {
        const port = /^host: .*:(\d+)/im.exec(request.head)?.[1] ?? ""
        replies(302, "", { location: location.replace("PORT", port) })(socket, request)
      })
      const upstream = yield* upstreamAt(client, server.url)
      const failure = yield* Effect.flip(upstream.send(withKey("GET")))
      assert.containSubset(failure, { _tag: "RedirectRefused", status: 302 })
      assert.include(failure._tag === "RedirectRefused" ? failure.problem : "", named)
      assert.lengthOf(server.received, 1)
    })
  )

  it.effect("of a write is refused, and the write is not repeated", () =>
    Effect.gen(function* () {
      for (const status of statuses) {
        const server = yield* listen(replies(status, "", { location: "/new" }))
        const upstream = yield* upstreamAt(client, server.url)
        const failure = yield* Effect.flip(upstream.send(withKey("POST")))
        assert.containSubset(failure, { _tag: "RedirectRefused", status })
        assert.lengthOf(server.received, 1)
      }
    })
  )

  it.effect("is followed five times, and a loop ends", () =>
    Effect.gen(function* () {
      const five = yield* listen((socket, request) => {
        const hop = Number(/^GET \/(\d)/.exec(request.head)?.[1])
        return (hop === 5 ? replies(200, "there") : replies(302, "", { location: `/${hop + 1}` }))(socket, request)
      })
      const upstream = yield* upstreamAt(client, five.url)
      assert.strictEqual((yield* upstream.send(withKey("GET", "/0"))).text, "there")

      const loop = yield* listen(replies(302, "", { location: "/" }))
      const looping = yield* upstreamAt(client, loop.url)
      assert.containSubset(yield* Effect.flip(looping.send(withKey("GET"))), {
        _tag: "RedirectRefused",
        problem: "the host redirects more than 5 times"
      })
      assert.lengthOf(loop.received, 6)
    })
  )

  it.effect("that names no address is an answer like any other", () =>
    Effect.gen(function* () {
      for (const headers of ["", "location: http://:port/\r\n", "location: http://[nobody]/\r\n"]) {
        const server = yield* listen(writes(`HTTP/1.1 302 Found\r\n${headers}content-length: 4\r\n\r\nhere`))
        const upstream = yield* upstreamAt(client, server.url)
        assert.deepInclude(yield* upstream.send(withKey("GET")), { status: 302, text: "here" })
        assert.lengthOf(server.received, 1)
      }
    })
  )

  it.effect("is not held up by the body that comes with it", () =>
    Effect.gen(function* () {
      const endless = "HTTP/1.1 302 Found\r\nlocation: /new\r\ncontent-length: 1000000\r\n\r\nmoved"
      const server = yield* listen((socket, request) =>
        (request.head.startsWith("GET /new") ? replies(200, "found") : writes(endless))(socket, request)
      )
      const upstream = yield* upstreamAt(client, server.url, { concurrency: 1 })
      assert.strictEqual((yield* upstream.send(withKey("GET"))).text, "found")
    })
  )
})
