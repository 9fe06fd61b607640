import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, References } from "effect"
import { TestClock } from "effect/testing"

import { makeClock, makeTimeLimit } from "../../../src/internal/time.ts"

it.effect("what ends in time is as it is, and leaves no clock behind to wait for", () =>
  Effect.gen(function* () {
    const inTime = yield* makeTimeLimit
    const late = () => "too late"
    assert.strictEqual(yield* inTime(Effect.succeed(1), 10, late), 1)
    assert.strictEqual(yield* Effect.flip(inTime(Effect.fail("refused"), 10, late)), "refused")
    const slow = yield* Effect.forkChild(inTime(Effect.delay(Effect.succeed(2), 9), 10, late))
    yield* TestClock.adjust(9)
    assert.strictEqual(yield* Fiber.join(slow), 2)
  })
)

it.effect("each is stopped at its own time, in whatever order they came and however long those before may take", () =>
  Effect.gen(function* () {
    const inTime = yield* makeTimeLimit
    const stopped: Array<number> = []
    const limits = [300, 100, 200, 100, 400]
    const waiting = yield* Effect.forEach(limits, (limit) =>
      Effect.forkChild(
        inTime(
          Effect.onInterrupt(Effect.never, () => Effect.sync(() => stopped.push(limit))),
          limit,
          () => limit
        )
      )
    )
    yield* Effect.yieldNow
    for (const [at, so] of [
      [99, []],
      [100, [100, 100]],
      [200, [100, 100, 200]],
      [399, [100, 100, 200, 300]],
      [400, [100, 100, 200, 300, 400]]
    ] as const) {
      yield* TestClock.setTime(at)
      assert.deepStrictEqual(stopped, [...so])
    }
    const exits = yield* Effect.forEach(waiting, Fiber.await)
    assert.deepStrictEqual(
      exits,
      limits.map((limit) => Exit.fail(limit))
    )
  })
)

it.effect("who stops waiting stops what is limited, and the next one still has its limit", () =>
  Effect.gen(function* () {
    const inTime = yield* makeTimeLimit
    const stopped = yield* Deferred.make<void>()
    const first = yield* Effect.forkChild(
      inTime(
        Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined)),
        100,
        () => "late"
      )
    )
    yield* Effect.yieldNow
    yield* Fiber.interrupt(first)
    yield* Deferred.await(stopped)
    yield* TestClock.adjust(1000)
    const second = yield* Effect.forkChild(Effect.flip(inTime(Effect.never, 100, () => "late")))
    yield* TestClock.adjust(100)
    assert.strictEqual(yield* Fiber.join(second), "late")
  })
)

it.effect("what others tell the end of is stopped at its time, and not when it was told before", () =>
  Effect.gen(function* () {
    const { callback } = yield* makeClock
    let stops = 0
    const stop = () => void stops++
    const resumes: Array<(result: Effect.Effect<number, string>) => void> = []
    const waiting = Effect.forkChild(
      callback<number, string, string>(
        (resume) => {
          resumes.push(resume)
          return stop
        },
        100,
        () => "late"
      ),
      { startImmediately: true }
    )
    const [first, second, third] = [yield* waiting, yield* waiting, yield* waiting]
    yield* TestClock.adjust(99)
    resumes[0]?.(Effect.succeed(1))
    yield* Fiber.interrupt(third)
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* Fiber.await(first), Exit.succeed(1))
    assert.deepStrictEqual(yield* Fiber.await(second), Exit.fail("late"))
    assert.strictEqual(stops, 2)
    resumes[1]?.(Effect.succeed(2))
    assert.strictEqual(stops, 2)
  })
)

it.effect.each(Array.from({ length: 60 }, (_, at) => at))(
  "holds wherever its caller has to let others go on: after %s steps",
  (before) =>
    Effect.gen(function* () {
      const { callback, limit } = yield* makeClock
      const late = () => "late"
      const steps = Effect.forEach(Array.from({ length: before }), () => Effect.void, { discard: true })
      for (const limited of [limit(Effect.never, 100, late), callback(() => () => {}, 100, late)]) {
        const waiting = yield* Effect.andThen(steps, Effect.flip(limited)).pipe(
          Effect.provideService(References.MaxOpsBeforeYield, 30),
          Effect.forkChild
        )
        yield* Effect.repeat(Effect.yieldNow, { times: 10 })
        yield* TestClock.adjust(100)
        assert.deepStrictEqual(waiting.pollUnsafe(), Exit.succeed("late"))
      }
    })
)
