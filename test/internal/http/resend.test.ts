import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Result, Schema } from "effect"
import { Headers } from "effect/http"
import { TestClock } from "effect/testing"

import * as Resend from "../../../src/internal/http/resend.ts"
import * as Upstream from "../../../src/internal/http/Upstream.ts"
import { answers, breaks, standIn, type Step, takes } from "./standIn.ts"

const baseUrl = "https://engine.test"
const reads = ["GET"] as const
const writes = ["POST", "PUT", "PATCH", "DELETE"] as const

/** Number of requests that one call becomes. */
const requestsOf = Effect.fnUntraced(function* (
  step: Step,
  method: Upstream.UpstreamRequest["method"],
  more: Partial<Upstream.UpstreamRequest> = {}
) {
  const { requests, client } = standIn(step)
  const fiber = yield* Effect.forkChild(
    Effect.exit(Upstream.make(client, { baseUrl }).send({ method, path: "/", ...more }))
  )
  yield* TestClock.adjust("1 minute")
  yield* Fiber.join(fiber)
  return requests.length
})

describe("the number of requests that one call becomes", () => {
  const once: ReadonlyArray<readonly [string, Step]> = [
    ...[200, 204, 301, 304, 400, 401, 403, 404, 408, 409, 422, 500, 501, 505].map(
      (status) => [`status ${status}`, answers(status, {}, null)] as const
    ),
    ["no answer in time", takes(60_000, answers(200))],
    [
      "an answer that breaks off",
      answers(200, {}, new ReadableStream({ pull: (body) => body.error(new Error("cut")) }))
    ]
  ]
  it.effect.each(once)("is one for every method: %s", ([, step]) =>
    Effect.gen(function* () {
      for (const method of [...reads, ...writes]) assert.strictEqual(yield* requestsOf(step, method), 1, method)
    })
  )

  const unarrived: ReadonlyArray<readonly [string, Step]> = [
    ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"].map(
      (code) => [code, breaks(code)] as const
    ),
    ["an untrusted certificate", breaks("DEPTH_ZERO_SELF_SIGNED_CERT")],
    ["status 429", answers(429)]
  ]
  it.effect.each(unarrived)("is three for every method where nothing was done: %s", ([, step]) =>
    Effect.gen(function* () {
      for (const method of [...reads, ...writes]) assert.strictEqual(yield* requestsOf(step, method), 3, method)
    })
  )

  const unsure: ReadonlyArray<readonly [string, Step]> = [
    ...["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"].map((code) => [code, breaks(code)] as const),
    ...[502, 503, 504].map((status) => [`status ${status}`, answers(status)] as const)
  ]
  it.effect.each(unsure)("is three for reads and one for writes where something may have been done: %s", ([, step]) =>
    Effect.gen(function* () {
      for (const method of reads) assert.strictEqual(yield* requestsOf(step, method), 3, method)
      for (const method of writes) assert.strictEqual(yield* requestsOf(step, method), 1, method)
    })
  )

  it.effect("follows the caller's word about what may be repeated", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* requestsOf(answers(503), "POST", { effect: "read" }), 3)
      assert.strictEqual(yield* requestsOf(answers(503), "GET", { effect: "write" }), 1)
    })
  )

  it.effect("ends with the first answer that is none of these", () =>
    Effect.gen(function* () {
      const { requests, client } = standIn(breaks("ECONNRESET"), answers(200, {}, "fine"), answers(500))
      const fiber = yield* Effect.forkChild(Upstream.make(client, { baseUrl }).send({ method: "GET", path: "/" }))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber)).text, "fine")
      assert.lengthOf(requests, 2)
    })
  )

  it.effect("is what the options say, and none is a number too", () =>
    Effect.gen(function* () {
      const { requests, client } = standIn(answers(429))
      const reply = yield* Upstream.make(client, { baseUrl, retries: 0 }).send({ method: "GET", path: "/" })
      assert.strictEqual(reply.status, 429)
      assert.lengthOf(requests, 1)
    })
  )
})

const refusedWith = (headers: Readonly<Record<string, string>>) =>
  Result.succeed({ status: 429, headers: Headers.fromInput(headers), text: "" })

const part = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const attempt = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))

describe("the wait before a retry", () => {
  it.prop("is a random part of 100 ms, doubled with every attempt", [attempt, part], ([attempt, random]) => {
    const wait = Resend.wait(refusedWith({}), attempt, 0, random)
    assert.isAtLeast(wait, 0)
    assert.isAtMost(wait, 100 * 2 ** attempt)
    assert.strictEqual(wait, random * Resend.wait(refusedWith({}), attempt, 0, 1))
  })

  it.prop(
    "is what Retry-After says in seconds, 5 at most",
    [Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))],
    ([seconds]) => {
      assert.strictEqual(
        Resend.wait(refusedWith({ "retry-after": `${seconds}` }), 0, 0, 1),
        Math.min(seconds, 5) * 1000
      )
    }
  )

  const now = DateTime.toEpochMillis(DateTime.makeUnsafe("2026-03-01T12:00:00Z"))
  it.each([
    ["Sun, 01 Mar 2026 12:00:03 GMT", 3000],
    ["Sun, 01 Mar 2026 13:00:00 GMT", 5000],
    ["Sun, 01 Mar 2026 11:59:00 GMT", 0],
    [" 2 ", 2000],
    ["99999999999999999999999999", 5000]
  ])("is what Retry-After says, a date too: %s", (value, expected) => {
    assert.strictEqual(Resend.wait(refusedWith({ "retry-after": value }), 0, now, 1), expected)
  })

  it.each(["", "soon", "-1", "1.5", "1e3", "0x10", "yesterday GMT", "2026-03-01T12:00:03Z"])(
    "does not care about a Retry-After that is neither: %s",
    (value) => {
      assert.strictEqual(Resend.wait(refusedWith({ "retry-after": value }), 1, now, 0.5), 100)
    }
  )

  it.effect("is kept between the requests of a call", () =>
    Effect.gen(function* () {
      const { requests, client } = standIn(
        answers(429, { "retry-after": "2" }),
        answers(503, { "retry-after": "60" }),
        answers(200)
      )
      const fiber = yield* Effect.forkChild(Upstream.make(client, { baseUrl }).send({ method: "GET", path: "/" }))
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(fiber)
      assert.deepEqual(
        requests.map(({ at }) => at),
        [0, 2000, 7000]
      )
    })
  )

  it.effect("holds no place: others go first", () =>
    Effect.gen(function* () {
      const { requests, client } = standIn(answers(429, { "retry-after": "5" }), answers(200))
      const upstream = Upstream.make(client, { baseUrl, concurrency: 1 })
      yield* Effect.forkChild(upstream.send({ method: "GET", path: "/refused" }))
      yield* Effect.yieldNow
      yield* upstream.send({ method: "GET", path: "/other" })
      assert.deepEqual(
        requests.map(({ url }) => url),
        [`${baseUrl}/refused`, `${baseUrl}/other`]
      )
    })
  )
})
