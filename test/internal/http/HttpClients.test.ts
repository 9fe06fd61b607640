import { copyFile, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"

import * as NodeHttpClients from "../../../src/cli/upstream/NodeHttpClients.ts"
import { HttpClients } from "../../../src/internal/http/HttpClients.ts"
import * as Upstream from "../../../src/internal/http/Upstream.ts"
import { listen, replies } from "../../support/loopback.ts"
import { canary, withKey } from "./clients.ts"
import { answers, standIn } from "./standIn.ts"

const through = (proxy: string, baseUrl: string) =>
  HttpClients.use(({ make }) => make({ proxy })).pipe(
    Effect.map((client) => Upstream.make(client, { baseUrl, retries: 0 })),
    Effect.provide(NodeHttpClients.layer)
  )

describe("an instance with a proxy", () => {
  it.effect("is reached through it", () =>
    Effect.gen(function* () {
      const proxy = yield* listen(replies(200, "through"))
      const upstream = yield* through(proxy.url, "http://engine.test")
      assert.strictEqual((yield* upstream.send(withKey("GET", "/api"))).text, "through")
      assert.match(proxy.received[0]?.head ?? "", /^GET http:\/\/engine\.test\/api HTTP\/1\.1/)
    })
  )

  it.effect("gets nothing from us when the proxy refuses, and the proxy does not see the key", () =>
    Effect.gen(function* () {
      for (const status of [403, 407, 502]) {
        const proxy = yield* listen(replies(status))
        const upstream = yield* through(proxy.url, "https://engine.test")
        const failure = yield* Effect.flip(upstream.send(withKey("POST")))
        assert.containSubset(failure, {
          _tag: "Unreachable",
          problem: "the proxy refuses to connect (ERR_PROXY_TUNNEL)",
          phase: "connecting"
        })
        assert.match(proxy.received[0]?.head ?? "", /^CONNECT engine\.test:443 /)
        assert.notInclude(JSON.stringify(proxy.received), canary)
      }
    })
  )

  it.effect("cannot be made with what is no address of a proxy", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(through("nonsense", "http://engine.test"))
      assert.strictEqual(failure.message, "proxy: expected the URL of an HTTP proxy")
    })
  )
})

describe("clients of upstreams", () => {
  it.effect("are one for those that are connected to in the same way, and others for others", () =>
    Effect.gen(function* () {
      const { make } = yield* HttpClients
      const [first, second, other] = [yield* make({}), yield* make({}), yield* make({ proxy: "http://proxy.test" })]
      assert.strictEqual(first, second)
      assert.notStrictEqual<unknown>(first, other)
    }).pipe(Effect.provide(NodeHttpClients.layer))
  )

  it.effect("ask one host over one connection, each in its own name", () =>
    Effect.gen(function* () {
      const { make } = yield* HttpClients
      const host = yield* listen(replies(200, "{}"))
      for (const name of ["ann:first", "bob:second", "ann:first"]) {
        const upstream = Upstream.make(yield* make({}), { baseUrl: host.url.replace("//", `//${name}@`), retries: 0 })
        assert.strictEqual((yield* upstream.send(withKey("GET"))).status, 200)
      }
      assert.deepStrictEqual(
        host.received.map(({ head }) => /^authorization: Basic (\S+)/im.exec(head)?.[1]),
        ["ann:first", "bob:second", "ann:first"].map((name) => Buffer.from(name).toString("base64"))
      )
    }).pipe(Effect.provide(NodeHttpClients.layer))
  )

  it.effect("are tried again where they could not be made", () =>
    Effect.gen(function* () {
      const { make } = yield* HttpClients
      const folder = yield* Effect.promise(() => mkdtemp(path.join(tmpdir(), "clients-")))
      const caFile = path.join(folder, "ca.pem")
      assert.include((yield* Effect.flip(Effect.asVoid(make({ caFile })))).message, "caFile")
      const certificate = new URL("certificates/loopback.pem", import.meta.url)
      yield* Effect.promise(() => copyFile(certificate, caFile))
      yield* make({ caFile })
      yield* Effect.promise(() => rm(folder, { recursive: true }))
    }).pipe(Effect.provide(NodeHttpClients.layer))
  )
})

describe("a client that everybody shares", () => {
  const shared = HttpClients.layerShared.pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, standIn(answers(200)).client))
  )

  it.effect("is the one that was given", () =>
    Effect.gen(function* () {
      const client = yield* HttpClients.use(({ make }) => make({}))
      assert.strictEqual((yield* client.get("https://engine.test")).status, 200)
    }).pipe(Effect.provide(shared))
  )

  it.effect("takes no settings of a single instance", () =>
    Effect.gen(function* () {
      for (const options of [{ caFile: "ca.pem" }, { proxy: "http://proxy.test" }]) {
        const failure = yield* Effect.flip(HttpClients.use(({ make }) => make(options)))
        assert.include(failure.message, "caFile and proxy need the HTTP client of the command")
      }
    }).pipe(Effect.provide(shared))
  )
})
