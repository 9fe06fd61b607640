import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"

import { cachedSuccess } from "../../src/internal/effects.ts"

/** Something that takes until the test says so, and counts how often it was begun. */
const slow = Effect.gen(function* () {
  const gate = yield* Deferred.make<number, string>()
  const counts = { begun: 0, cutOff: 0 }
  const value = yield* cachedSuccess(
    Effect.suspend(() => {
      counts.begun++
      return Deferred.await(gate)
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => counts.cutOff++)))
  )
  const asking = Effect.forkChild(value, { startImmediately: true })
  return { asking, counts, gate, value }
})

describe("what is made when it is needed", () => {
  it.effect("is made once, however many ask, and not before", () =>
    Effect.gen(function* () {
      const { asking, counts, gate, value } = yield* slow
      assert.strictEqual(counts.begun, 0)
      const all = yield* Effect.replicateEffect(asking, 5)
      yield* Deferred.succeed(gate, 1)
      assert.deepStrictEqual(yield* Effect.forEach(all, Fiber.join), [1, 1, 1, 1, 1])
      assert.strictEqual(yield* value, 1)
      assert.deepStrictEqual(counts, { begun: 1, cutOff: 0 })
    })
  )

  it.effect("goes on when all who asked have left, and is what the next one gets", () =>
    Effect.gen(function* () {
      const { asking, counts, gate } = yield* slow
      const [first, second] = [yield* asking, yield* asking]
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      yield* Fiber.interrupt(second)
      const third = yield* asking
      yield* Deferred.succeed(gate, 3)
      assert.strictEqual(yield* Fiber.join(third), 3)
      assert.deepStrictEqual(counts, { begun: 1, cutOff: 0 })
    })
  )

  it.effect("is tried again where it failed, for whoever asks next", () =>
    Effect.gen(function* () {
      const { asking, counts, gate, value } = yield* slow
      const first = yield* asking
      yield* Deferred.fail(gate, "no")
      assert.strictEqual(yield* Effect.flip(Fiber.join(first)), "no")
      assert.strictEqual(yield* Effect.flip(value), "no")
      assert.strictEqual(counts.begun, 2)
    })
  )
})
