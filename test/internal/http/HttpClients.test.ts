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
