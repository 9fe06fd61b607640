import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"

import { makePacer } from "../../../src/internal/http/Coordination.ts"
import * as Upstream from "../../../src/internal/http/Upstream.ts"
import { answers, hangs, standIn, takes } from "./standIn.ts"

const baseUrl = "https://engine.test"

/** Milliseconds between one caller and the next: crowds, trickles and long pauses. */
const gaps = Schema.Array(Schema.Literals([0, 0, 0, 0, 0, 0, 1, 3, 10, 11, 12, 40, 700])).check(
  Schema.isMinLength(100),
  Schema.isMaxLength(220)
)
const rate = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 99 }))
const few = { arbitrary: { runs: 15 } }

/** When each of these callers gets its turn. */
const starts = Effect.fnUntraced(function* (perSecond: number, arrivals: ReadonlyArray<number>) {
  const { run } = makePacer(perSecond)
  const begun: Array<{ readonly caller: number; readonly at: number }> = []
  const callers = yield* Effect.forEach(arrivals, (arrival, caller) =>
    Effect.sleep(arrival).pipe(
      Effect.andThen(run(Effect.map(Clock.currentTimeMillis, (at) => begun.push({ caller, at })))),
      Effect.forkChild
    )
  )
  yield* TestClock.adjust((arrivals.at(-1) ?? 0) + (arrivals.length / perSecond) * 1200 + 1000)
  yield* Effect.forEach(callers, Fiber.join)
  return begun
})

const arrivalsOf = (gaps: ReadonlyArray<number>) => {
  let now = 0
  return gaps.map((gap) => (now += gap))
}

const mostInOneSecond = (moments: ReadonlyArray<number>) =>
  Math.max(...moments.map((from, index) => moments.slice(index).filter((at) => at < from + 1000).length))

describe("the pace", () => {
  it.effect.prop(
    "lets no second see more requests than the rate",
    [rate, gaps],
    ([perSecond, gaps]) =>
      Effect.gen(function* () {
        const begun = yield* starts(perSecond, arrivalsOf(gaps))
        const most = mostInOneSecond(begun.map(({ at }) => at))
        assert.isAtMost(most, perSecond)
      }),
    few
  )

  it.effect.prop(
    "serves callers in the order in which they came",
    [rate, gaps],
    ([perSecond, gaps]) =>
      Effect.gen(function* () {
        const begun = yield* starts(perSecond, arrivalsOf(gaps))
        assert.deepEqual(
          begun.map(({ caller }) => caller),
          gaps.map((_, caller) => caller)
        )
      }),
    few
  )

  it.effect.each([1, 10, 50, 90, 98])("reaches %d requests a second", (perSecond) =>
    Effect.gen(function* () {
      const begun = yield* starts(
        perSecond,
        Array.from({ length: perSecond * 3 + 1 }, () => 0)
      )
      assert.isAtMost(begun.at(-1)?.at ?? Infinity, 3000)
    })
  )

  it.effect.each([91, 95, 99])("lets no second see 100 requests in a crowd, even with a rate of %d", (perSecond) =>
    Effect.gen(function* () {
      const begun = yield* starts(
        perSecond,
        Array.from({ length: 250 }, () => 0)
      )
      assert.isBelow(mostInOneSecond(begun.map(({ at }) => at)), 100)
    })
  )

  it.effect("makes nobody wait who comes seldom", () =>
    Effect.gen(function* () {
      const arrivals = Array.from({ length: 50 }, (_, index) => index * 12)
      const begun = yield* starts(90, arrivals)
      assert.deepEqual(
        begun.map(({ at }) => at),
        arrivals
      )
    })
  )

  it.effect("makes nobody wait in a burst that fits into the second", () =>
    Effect.gen(function* () {
      const begun = yield* starts(
        90,
        Array.from({ length: 90 }, () => 0)
      )
      assert.isTrue(begun.every(({ at }) => at === 0))
    })
  )

  it.effect("counts requests when they leave, however long their connections took", () =>
    Effect.gen(function* () {
      const { run } = makePacer(99)
      const left: Array<number> = []
      const slow = (milliseconds: number) =>
        run(
          Effect.andThen(
            Effect.sleep(milliseconds),
            Effect.map(Clock.currentTimeMillis, (at) => left.push(at))
          )
        )
      const calls = Array.from({ length: 300 }, (_, index) => slow(index < 99 ? 900 : 0))
      const fiber = yield* Effect.forkChild(Effect.all(calls, { concurrency: "unbounded" }))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(fiber)
      assert.lengthOf(left, 300)
      assert.isAtMost(mostInOneSecond(left), 99)
    })
  )

  it.effect("loses no moment to callers who give up", () =>
    Effect.gen(function* () {
      const { run } = makePacer(1)
      yield* run(Effect.void)
      for (const _ of [1, 2, 3]) {
        const caller = yield* Effect.forkChild(run(Effect.void))
        yield* TestClock.adjust("100 millis")
        yield* Fiber.interrupt(caller)
      }
      const patient = yield* Effect.forkChild(run(Clock.currentTimeMillis))
      yield* TestClock.adjust("1 second")
      assert.isAtMost(yield* Fiber.join(patient), 1000)
    })
  )
})

const get = (upstream: Upstream.Upstream, path: string) => upstream.send({ method: "GET", path })

describe("200 calls at once", () => {
  const run = Effect.fnUntraced(function* (milliseconds: number, options: Partial<Upstream.UpstreamOptions> = {}) {
    const script = standIn(takes(milliseconds, answers(200)))
    const upstream = Upstream.make(script.client, { baseUrl, ...options })
    const paths = Array.from({ length: 200 }, (_, index) => `/${index}`)
    const fiber = yield* Effect.forkChild(
      Effect.forEach(paths, (path) => get(upstream, path), { concurrency: "unbounded" })
    )
    yield* TestClock.adjust("30 seconds")
    yield* Fiber.join(fiber)
    return { ...script, paths }
  })

  it.effect("are paced, bounded and served in order", () =>
    Effect.gen(function* () {
      const { requests, counts, paths } = yield* run(20)
      const moments = requests.map(({ at }) => at)
      assert.strictEqual(mostInOneSecond(moments), 90)
      assert.isAtMost(counts.most, 10)
      assert.isAtMost(moments.at(-1) ?? Infinity, 2300)
      assert.deepEqual(
        requests.map(({ url }) => url),
        paths.map((path) => baseUrl + path)
      )
    })
  )

  it.effect("are never more on their way than the instance allows", () =>
    Effect.gen(function* () {
      const { counts } = yield* run(300, { concurrency: 3 })
      assert.strictEqual(counts.most, 3)
    })
  )
})

describe("a caller who leaves", () => {
  it.effect("while waiting in line is never sent, and the next one takes the place", () =>
    Effect.gen(function* () {
      const { requests, client } = standIn(hangs, answers(200))
      const upstream = Upstream.make(client, { baseUrl, concurrency: 1 })
      const call = (path: string) => Effect.forkChild(get(upstream, path), { startImmediately: true })
      const first = yield* call("/first")
      const second = yield* call("/second")
      const third = yield* call("/third")
      yield* Fiber.interrupt(second)
      yield* Fiber.interrupt(first)
      yield* Fiber.join(third)
      assert.deepEqual(
        requests.map(({ url }) => url),
        [`${baseUrl}/first`, `${baseUrl}/third`]
      )
    })
  )

  it.effect("before a write that finishes has left is never sent, and afterwards waits for its end", () =>
    Effect.gen(function* () {
      const { requests, client, counts } = standIn(takes(5000, answers(200)))
      const upstream = Upstream.make(client, { baseUrl, concurrency: 1 })
      const write = (path: string) =>
        Effect.forkChild(upstream.send({ method: "PUT", path, finishes: true }), { startImmediately: true })
      const first = yield* write("/first")
      const second = yield* write("/second")
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(second)
      const leaving = yield* Effect.forkChild(Fiber.interrupt(first), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.isUndefined(leaving.pollUnsafe())
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(leaving)
      assert.deepEqual(
        requests.map(({ url }) => url),
        [`${baseUrl}/first`]
      )
      assert.deepInclude(counts, { going: 0, cutOff: 0 })
    })
  )

  it.effect("while the pace holds the call back is never sent", () =>
    Effect.gen(function* () {
      const { requests, client } = standIn(answers(200))
      const upstream = Upstream.make(client, { baseUrl, requestsPerSecond: 1, concurrency: 1 })
      yield* get(upstream, "/first")
      const second = yield* Effect.forkChild(get(upstream, "/second"))
      yield* TestClock.adjust("500 millis")
      yield* Fiber.interrupt(second)
      const third = yield* Effect.forkChild(get(upstream, "/third"))
      yield* TestClock.adjust("500 millis")
      yield* Fiber.join(third)
      assert.deepEqual(
        requests.map(({ url }) => url),
        [`${baseUrl}/first`, `${baseUrl}/third`]
      )
    })
  )

  it.effect("while the upstream is at work cuts the request off and frees the place", () =>
    Effect.gen(function* () {
      const { client, counts } = standIn(hangs, answers(200))
      const upstream = Upstream.make(client, { baseUrl, concurrency: 1 })
      const first = yield* Effect.forkChild(get(upstream, "/first"))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(first)
      assert.deepInclude(counts, { going: 0, cutOff: 1 })
      assert.strictEqual((yield* get(upstream, "/second")).status, 200)
    })
  )

  it.effect("while the answer is being read lets go of it and frees the place", () =>
    Effect.gen(function* () {
      let letGo = false
      const body = new ReadableStream({ cancel: () => void (letGo = true) })
      const { client } = standIn(answers(200, {}, body), answers(200))
      const upstream = Upstream.make(client, { baseUrl, concurrency: 1 })
      const first = yield* Effect.forkChild(get(upstream, "/first"))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(first)
      assert.isTrue(letGo)
      assert.strictEqual((yield* get(upstream, "/second")).status, 200)
    })
  )

  it.effect("while a retry is due is not retried", () =>
    Effect.gen(function* () {
      const { requests, client } = standIn(answers(503, { "retry-after": "5" }))
      const fiber = yield* Effect.forkChild(get(Upstream.make(client, { baseUrl }), "/"))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(requests, 1)
    })
  )
})
