import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { staleWhileRevalidate } from "../../src/internal/effects.ts"

/** A look-up that takes a second and counts its calls; the second of them fails. */
const counting = () => {
  let calls = 0
  const lookUp = Effect.gen(function* () {
    const call = ++calls
    yield* Effect.sleep("1 second")
    return call === 2 ? yield* Effect.die("no answer") : call
  })
  return { lookUp, calls: () => calls }
}

describe("a value that is stale while it is revalidated", () => {
  it.effect("is told at once, looked up one at a time and after a pause, and stays where that fails", () =>
    Effect.gen(function* () {
      const { calls, lookUp } = counting()
      const ask = yield* staleWhileRevalidate({ initial: 0, lookUp, pause: 60_000 })
      assert.deepStrictEqual([yield* ask, yield* ask], [0, 0])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([yield* ask, calls()], [1, 1])
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual([yield* ask, calls()], [1, 1])
      yield* TestClock.adjust("1 second")
      yield* ask
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([yield* ask, calls()], [1, 2])
      yield* TestClock.adjust("60 seconds")
      yield* ask
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([yield* ask, calls()], [3, 3])
    })
  )

  it.effect("is not looked up again while it is fresh", () =>
    Effect.gen(function* () {
      const { calls, lookUp } = counting()
      const ask = yield* staleWhileRevalidate({ initial: 0, lookUp, pause: 0, isStale: (value) => value === 0 })
      yield* ask
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual([yield* ask, yield* ask, calls()], [1, 1, 1])
    })
  )
})
