import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import * as Upstream from "../../../src/internal/http/Upstream.ts"
import { answers, breaks, hangs, redirects, standIn, type Step, takes } from "./standIn.ts"

const baseUrl = "https://engine.test"

/** Sends while time passes, and tells how it ended and when. */
const outcomeOf = Effect.fnUntraced(function* (upstream: Upstream.Upstream, request: Upstream.UpstreamRequest) {
  const fiber = yield* upstream.send(request).pipe(
    Effect.flip,
    Effect.zipWith(Clock.currentTimeMillis, (failure, at) => ({ failure, at })),
    Effect.forkChild
  )
  yield* TestClock.adjust("2 minutes")
  return yield* Fiber.join(fiber)
})

const timeout = (milliseconds: number, sent: boolean) => ({ _tag: "UpstreamTimeout", milliseconds, sent })

const silentBody: Step = answers(200, {}, new ReadableStream())

describe("the time of a call", () => {
  it.effect.each([
    ["an upstream that never answers", [hangs]],
    ["headers with nothing behind them", [silentBody]],
    ["a slow chain of redirects", [takes(8000, redirects(302, "/again"))]],
    ["slow refusals and their retries", [takes(12_000, answers(503))]],
    ["waits that the upstream asks for", [takes(9000, answers(429, { "retry-after": "5" }))]]
  ] satisfies ReadonlyArray<[string, [Step, ...Array<Step>]]>)(
    "ends after 30 seconds in total, whatever it is spent on: %s",
    ([, steps]) =>
      Effect.gen(function* () {
        const { client, counts } = standIn(...steps)
        const { at, failure } = yield* outcomeOf(Upstream.make(client, { baseUrl }), { method: "GET", path: "/" })
        assert.containSubset(failure, timeout(30_000, true))
        assert.strictEqual(at, 30_000)
        assert.strictEqual(counts.going, 0)
      })
  )

  it.effect("is what the caller says", () =>
    Effect.gen(function* () {
      const { client } = standIn(hangs)
      const request = { method: "POST", path: "/", timeout: "1500 millis" } as const
      const { at, failure } = yield* outcomeOf(Upstream.make(client, { baseUrl }), request)
      assert.containSubset(failure, timeout(1500, true))
      assert.strictEqual(at, 1500)
    })
  )

  it.effect("counts from the moment of asking: a call that waits for its turn says that nothing was sent", () =>
    Effect.gen(function* () {
      const { requests, client } = standIn(hangs)
      const upstream = Upstream.make(client, { baseUrl, concurrency: 1 })
      yield* Effect.forkChild(upstream.send({ method: "GET", path: "/first", timeout: "1 minute" }))
      const { at, failure } = yield* outcomeOf(upstream, { method: "POST", path: "/second" })
      assert.containSubset(failure, timeout(30_000, false))
      assert.strictEqual(at, 30_000)
      assert.deepEqual(
        requests.map(({ url }) => url),
        [`${baseUrl}/first`]
      )
    })
  )

  it.effect("sends nothing when no time is left", () =>
    Effect.gen(function* () {
      const { requests, client } = standIn(answers(200))
      const failure = yield* Effect.flip(
        Upstream.make(client, { baseUrl }).send({ method: "GET", path: "/", timeout: 0 })
      )
      assert.containSubset(failure, timeout(0, false))
      assert.lengthOf(requests, 0)
    })
  )

  it.effect("says that nothing was sent when it ends between attempts that never arrived", () =>
    Effect.gen(function* () {
      const { client } = standIn(breaks("ECONNREFUSED"), hangs)
      const upstream = Upstream.make(client, { baseUrl, requestsPerSecond: 0.1 })
      const { at, failure } = yield* outcomeOf(upstream, { method: "POST", path: "/", timeout: "5 seconds" })
      assert.containSubset(failure, timeout(5000, false))
      assert.strictEqual(at, 5000)
    })
  )

  it.effect("is not slept away: an answer is better than a retry that comes too late", () =>
    Effect.gen(function* () {
      const { requests, client } = standIn(answers(503, { "retry-after": "4" }))
      const reply = yield* Upstream.make(client, { baseUrl }).send({ method: "GET", path: "/", timeout: "3 seconds" })
      assert.strictEqual(reply.status, 503)
      assert.lengthOf(requests, 1)
    })
  )

  it.effect("does not care when the clock of the machine is set", () =>
    Effect.gen(function* () {
      const { requests, client } = standIn(takes(20, answers(200)))
      const upstream = Upstream.make(client, { baseUrl })
      const testClock = yield* Clock.Clock
      let wall = 0
      const jumping: Clock.Clock = {
        currentTimeMillisUnsafe: () => wall,
        currentTimeMillis: Effect.sync(() => wall),
        currentTimeNanosUnsafe: () => BigInt(wall) * 1_000_000n,
        currentTimeNanos: Effect.sync(() => BigInt(wall) * 1_000_000n),
        monotonicTimeNanosUnsafe: () => testClock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: testClock.monotonicTimeNanos,
        sleep: (duration) => testClock.sleep(duration)
      }
      for (const jump of [0, 3_600_000, -3_600_000, 7_200_000]) {
        wall += jump
        const fiber = yield* Effect.forkChild(
          Effect.provideService(upstream.send({ method: "GET", path: "/" }), Clock.Clock, jumping)
        )
        yield* TestClock.adjust("20 millis")
        assert.strictEqual((yield* Fiber.join(fiber)).status, 200)
      }
      assert.lengthOf(requests, 4)
    })
  )
})

describe("one upstream that hangs", () => {
  it.effect("slows no other", () =>
    Effect.gen(function* () {
      const hanging = Upstream.make(standIn(hangs).client, { baseUrl: "https://hanging.test" })
      const healthy = Upstream.make(standIn(answers(200)).client, { baseUrl: "https://healthy.test" })
      const calls = Array.from({ length: 50 }, () => hanging.send({ method: "GET", path: "/" }))
      yield* Effect.forkChild(Effect.all(calls, { concurrency: "unbounded" }))
      yield* Effect.yieldNow
      const replies = yield* Effect.all(
        Array.from({ length: 5 }, () => healthy.send({ method: "GET", path: "/" })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(replies.length, 5)
      assert.strictEqual(yield* Clock.currentTimeMillis, 0)
    })
  )
})
