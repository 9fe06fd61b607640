import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"

import { makeLimiter } from "../../src/internal/http/Coordination.ts"
import { limitOf } from "../../src/marketplace/client/keyRules.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { intervalMs, type Limit, operations, roundOf, width } from "../../src/marketplace/client/operations.ts"
import { rateLimits } from "./data.ts"
import {
  adsOver,
  inTime,
  marketplace,
  plansOver,
  settings,
  smallMarketplace,
  standIn,
  watchedClient
} from "./support.ts"

/** Milliseconds of a request to the marketplace, and of its answer from there. */
interface Latency {
  readonly there: number
  readonly back: number
}

const none: Latency = { there: 0, back: 0 }

/** The moments at which so many calls, all wanted at once, go out and arrive. */
const run = (limit: Limit, calls: number, latencyOf: (call: number) => Latency) =>
  Effect.gen(function* () {
    const limiter = makeLimiter({ ...roundOf(limit), maxWaitMs: Infinity })
    const sent: Array<number> = []
    const arrived: Array<number> = []
    const note = (moments: Array<number>) => Effect.map(Clock.currentTimeMillis, (now) => moments.push(now))
    const call = Effect.gen(function* () {
      const { back, there } = latencyOf(yield* note(sent))
      if (there > 0) yield* Effect.sleep(there)
      yield* note(arrived)
      if (back > 0) yield* Effect.sleep(back)
    })
    const fiber = yield* Effect.forkChild(
      Effect.forEach(Array.from({ length: calls }), () => limiter.run(call), { concurrency: "unbounded" })
    )
    while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust(limit.periodMs)
    yield* Fiber.join(fiber)
    return { sent, arrived }
  })

/** The largest number of moments in any window that is `ms` long, its end not counted. */
const busiest = (seen: ReadonlyArray<number>, ms: number): number =>
  Math.max(...seen.map((start) => seen.filter((at) => at >= start && at < start + ms).length))

/** Whether a bucket that holds `burst` and gains one per interval never runs dry. */
const neverDry = (seen: ReadonlyArray<number>, { burst, limit, periodMs }: Limit): boolean => {
  let tokens = burst
  let last = seen[0] ?? 0
  return seen.every((at) => {
    tokens = Math.min(burst, tokens + ((at - last) * limit) / periodMs) - 1
    last = at
    return tokens > -1e-9
  })
}

describe("the limits", () => {
  const kinds = ["personal", "service", "base_with_secret", "base", "all"] as const
  const rows = rateLimits.flatMap(({ limits, operation }) =>
    kinds.flatMap((kind) => {
      const limit = limits[kind]
      return limit === undefined ? [] : [{ operation, kind, limit }]
    })
  )

  it.each(rows)("equal the published ones of $operation for a $kind key", ({ kind, limit: published, operation }) => {
    const { limit, periodMs, burst } = published
    const match = Object.values(operations).find(({ method, path }) => `${method} ${path}` === operation)
    assert.isDefined(match)
    const kept = match === undefined ? undefined : match.limits[kind === "base" ? "base" : "full"]
    assert.deepStrictEqual(kept, { limit, periodMs, burst })
  })

  it("exist for every operation of the client", () => {
    const listed = rateLimits.map(({ operation }) => operation)
    assert.sameMembers(
      Object.values(operations).map(({ method, path }) => `${method} ${path}`),
      listed
    )
  })

  it("follow the kind of key, unless the configuration sets one", () => {
    assert.deepStrictEqual(limitOf(settings({ tokenKind: "base" }), "getAdvertsV2").periodMs, 3_600_000)
    const configured = { limit: 1, periodMs: 7000, burst: 1 }
    assert.deepStrictEqual(limitOf(settings({ limits: { getAdvertsV2: configured } }), "getAdvertsV2"), configured)
  })
})

describe("a limiter", () => {
  const latency = fc.record({ there: fc.constantFrom(0, 1, 30, 500, 2000), back: fc.constantFrom(0, 1, 30, 500) })
  const published = Object.values(operations).flatMap(({ limits, name }) => [
    { name, kind: "full", limit: limits.full },
    { name, kind: "base", limit: limits.base }
  ])

  it.effect.each(published)("exceeds no window of $name with a $kind key, and reaches its rate", ({ limit }) =>
    Effect.gen(function* () {
      const calls = limit.limit * 4
      const { sent: seen } = yield* run(limit, calls, () => none)
      assert.isAtMost(busiest(seen, limit.periodMs), limit.limit)
      assert.isAtMost(busiest(seen, 1), limit.burst)
      assert.isTrue(neverDry(seen, limit))
      const lasted = (seen.at(-1) ?? 0) - (seen[0] ?? 0)
      assert.isAtMost(lasted, 4 * limit.periodMs)
      assert.strictEqual(busiest(seen, limit.periodMs), limit.limit)
    })
  )

  it.effect("exceeds no window of limits that are not published", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.record({
            limit: fc.integer({ min: 1, max: 12 }),
            periodMs: fc.constantFrom(600, 6000, 60_000),
            burst: fc.integer({ min: 1, max: 20 })
          }),
          fc.array(latency, { minLength: 1, maxLength: 40 }),
          (limit, latencies) =>
            Effect.runPromise(
              Effect.gen(function* () {
                const { arrived, sent } = yield* run(limit, latencies.length, (call) => latencies[call - 1] ?? none)
                assert.strictEqual(arrived.length, latencies.length)
                assert.isAtMost(busiest(sent, limit.periodMs), limit.limit)
                assert.isTrue(neverDry(arrived, limit))
              }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
            )
        ),
        { numRuns: 100, seed: 7 }
      )
    )
  )

  const networks = [
    ["none at all", () => none],
    ["the same for all", () => ({ there: 150, back: 150 })],
    ["on the way there only", () => ({ there: 300, back: 0 })],
    ["of a first round that arrives with the second", (call: number) => ({ there: call <= 5 ? 900 : 0, back: 0 })],
    ["that comes and goes", (call: number) => ({ there: (call * 37) % 700, back: (call * 53) % 300 })]
  ] as const

  it.effect.each(networks)("never empties the marketplace's bucket, with a delay that is %s", ([, latencyOf]) =>
    Effect.forEach(published, ({ limit, name }) =>
      Effect.gen(function* () {
        const { arrived } = yield* run(limit, limit.limit * 4, latencyOf)
        assert.isTrue(neverDry(arrived, limit), name)
      }).pipe(Effect.provide(TestClock.layer(), { local: true }))
    )
  )

  it.effect("reaches the full rate over a network that takes 300 ms, where the burst leaves room for it", () =>
    Effect.forEach(
      published.filter(({ limit }) => limit.burst >= 2 * width(limit)),
      ({ limit, name }) =>
        Effect.gen(function* () {
          const rounds = 6
          const calls = rounds * width(limit)
          const { sent } = yield* run(limit, calls, () => ({ there: 150, back: 150 }))
          const lasted = (sent.at(-1) ?? 0) - (sent[0] ?? 0)
          assert.strictEqual(lasted, (rounds - 1) * width(limit) * intervalMs(limit), name)
        }).pipe(Effect.provide(TestClock.layer(), { local: true }))
    )
  )

  it.effect("gives the slot of an interrupted call to the next one", () =>
    Effect.gen(function* () {
      const limiter = makeLimiter({ ...roundOf({ limit: 1, periodMs: 1000, burst: 1 }), maxWaitMs: Infinity })
      yield* limiter.run(Effect.void)
      const left = yield* Effect.forkChild(limiter.run(Effect.void))
      const next = yield* Effect.forkChild(limiter.run(Clock.currentTimeMillis))
      yield* TestClock.adjust(500)
      yield* Fiber.interrupt(left)
      yield* TestClock.adjust(500)
      assert.strictEqual(yield* Fiber.join(next), 1000)
    })
  )
})

describe("a long run of calls", () => {
  it.effect("never gets a 429 for its writes, and reaches the full rate", () => {
    const statuses: Array<number> = []
    const watched = plansOver(
      {},
      watchedClient((status) => statuses.push(status))
    )
    return Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const write = { advert_id: 1001, nm_id: 500101, norm_queries: ["a"] }
      yield* inTime(Effect.replicateEffect(ads.setMinusPhrases(write), 120, { concurrency: 10 }))
      assert.deepStrictEqual(
        statuses,
        Array.from({ length: 120 }, () => 200)
      )
      assert.approximately(yield* Clock.currentTimeMillis, 23_000, 600)
    }).pipe(Effect.provide(watched.pipe(Layer.provide(smallMarketplace()))))
  })

  it.effect("fails with the time of the next read for a base key, without asking again", () =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      yield* ads.getAdvertsV2()
      const error = yield* Effect.flip(ads.getAdvertsV2())
      assert.deepInclude(error.reason, { _tag: "AdsRateLimited", retryAfterSeconds: 3600 })
    }).pipe(Effect.provide(marketplace({ tokenKind: "base" }, { limits: "base" })))
  )

  it.effect("sends the same request again once the pause of a 429 is over", () => {
    const { client, requests } = standIn((_, index) =>
      index === 0 ? { status: 429, headers: { "x-ratelimit-retry": "7" }, body: { title: "too many requests" } } : {}
    )
    return Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const write = { advert_id: 1, nm_id: 2, norm_queries: ["a"] }
      const fiber = yield* Effect.forkChild(ads.setMinusPhrases(write))
      yield* TestClock.adjust(6900)
      assert.strictEqual(requests.length, 1)
      yield* TestClock.adjust(100)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        requests.map(({ body }) => body),
        [write, write]
      )
    }).pipe(Effect.provide(adsOver(client)))
  })

  it.effect("holds queued calls back until the pause of a 429 is over", () => {
    const sentAt: Array<number> = []
    const client = HttpClient.make((request) =>
      Effect.gen(function* () {
        const isTurnedAway = sentAt.push(yield* Clock.currentTimeMillis) === 2
        yield* Effect.sleep(isTurnedAway ? 5000 : 100)
        const tooMany = { status: 429, headers: { "x-ratelimit-retry": "60" } }
        return HttpClientResponse.fromWeb(request, new Response("{}", isTurnedAway ? tooMany : {}))
      })
    )
    const limits = { setMinusPhrases: { limit: 2, periodMs: 20_000, burst: 2 } }
    return Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const write = { advert_id: 1, nm_id: 2, norm_queries: ["a"] }
      yield* inTime(Effect.replicateEffect(ads.setMinusPhrases(write), 5, { concurrency: 5 }))
      const pauseEnds = 65_000
      const [first, second, ...others] = sentAt
      assert.deepStrictEqual([first, second, others.length], [0, 0, 4])
      for (const at of others) assert.isAtLeast(at, pauseEnds)
      assert.strictEqual(new Set(others).size, 4)
    }).pipe(Effect.provide(adsOver(client, { limits, maxWaitSeconds: 300 })))
  })

  it.effect("fails a queued call when the pause of a 429 is longer than the caller waits", () =>
    Effect.gen(function* () {
      const limiter = makeLimiter({ ...roundOf({ limit: 2, periodMs: 20_000, burst: 1 }), maxWaitMs: 15_000 })
      yield* limiter.run(Effect.void)
      const queued = yield* Effect.forkChild(Effect.flip(limiter.run(Effect.void)))
      yield* TestClock.adjust(5000)
      yield* limiter.pause(60_000)
      yield* TestClock.adjust(5000)
      assert.deepStrictEqual(yield* Fiber.join(queued), { _tag: "NoTurn", waitMs: 55_000 })
    })
  )

  it.effect("waits for a day at most where a 429 names a longer pause", () => {
    const { client } = standIn((_, index) =>
      index === 0 ? { status: 429, headers: { "x-ratelimit-retry": "1e300" }, body: {} } : { body: { adverts: [] } }
    )
    return Effect.gen(function* () {
      const count = MarketplaceAds.use((ads) => ads.countAdverts())
      assert.deepInclude((yield* Effect.flip(count)).reason, { _tag: "AdsRateLimited", retryAfterSeconds: 86_400 })
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* count, 0)
    }).pipe(Effect.provide(adsOver(client)))
  })

  it.effect("sends no second request when the pause of a 429 is longer than the caller waits", () => {
    const { client, requests } = standIn(() => ({ status: 429, headers: { "x-ratelimit-retry": "600" }, body: {} }))
    return Effect.gen(function* () {
      const error = yield* Effect.flip(MarketplaceAds.use((ads) => ads.countAdverts()))
      assert.deepInclude(error.reason, { _tag: "AdsRateLimited", retryAfterSeconds: 600 })
      assert.strictEqual(requests.length, 1)
    }).pipe(Effect.provide(adsOver(client)))
  })
})
