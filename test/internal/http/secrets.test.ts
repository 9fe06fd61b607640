import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { HttpClient } from "effect/http"

import * as Upstream from "../../../src/internal/http/Upstream.ts"
import { listen, replies } from "../../support/loopback.ts"
import { canary, clientNames, upstreamAt, withKey } from "./clients.ts"
import { answers, breaks, hangs, redirects, standIn } from "./standIn.ts"

describe("the key of an instance", () => {
  it.effect.each(clientNames)(
    "is sent once, in its header, and nothing is sent that nobody asked for: over %s",
    (client) =>
      Effect.gen(function* () {
        const server = yield* listen(replies(200, "{}"))
        const upstream = yield* upstreamAt(client, server.url)
        yield* upstream.send({ ...withKey("GET", "/api"), query: { limit: 5, cursor: undefined, name: "a&b=c" } })
        const head = server.received[0]?.head ?? ""
        assert.match(head, /^GET \/api\?limit=5&name=a%26b%3Dc HTTP\/1\.1\r\n/)
        assert.lengthOf(head.split(canary), 2)
        assert.include(head.toLowerCase(), `x-engine-api-key: ${canary}`)
        assert.notMatch(head, /traceparent|^b3:/im)
      })
  )

  it.effect("is in no span, even where an app records all headers", () =>
    Effect.gen(function* () {
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const { client } = standIn(answers(200))
      yield* Upstream.make(client, { baseUrl: "https://engine.test" })
        .send(withKey("GET"))
        .pipe(
          Effect.provideService(HttpClient.TracerHeaderFilter, () => true),
          Effect.withTracer(tracer)
        )
      const recorded = spans.flatMap(({ attributes }) => [...attributes])
      assert.isTrue(recorded.some(([name]) => name === "http.request.header.x-engine-api-key"))
      assert.notInclude(String(recorded), canary)
    })
  )

  it.effect("is in no failure", () =>
    Effect.gen(function* () {
      for (const step of [
        breaks("ECONNRESET"),
        hangs,
        redirects(302, "https://other.test"),
        answers(200, {}, "long")
      ]) {
        const { client } = standIn(step)
        const upstream = Upstream.make(client, { baseUrl: "https://engine.test", maxReplyBytes: 1, retries: 0 })
        const request = { ...withKey("POST"), timeout: 0 }
        const failure = yield* Effect.flip(upstream.send(step === hangs ? request : withKey("POST")))
        assert.notInclude(JSON.stringify(failure) + String(failure.stack), canary)
      }
    })
  )
})
