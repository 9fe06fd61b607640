import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** More steps than any test takes: a program that waits for something else than time would never end. */
const mostSteps = 200_000

/** Runs a program while the test clock runs, so many milliseconds at a step, until it is done. */
export const inTime = <A, E, R>(program: Effect.Effect<A, E, R>, step = 200) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program)
    let steps = 0
    while (fiber.pollUnsafe() === undefined) {
      assert.isBelow(steps++, mostSteps, `not done after ${(steps * step) / 1000} seconds of the test clock`)
      // What goes on beside the clock, such as on sockets, gets its turn however busy the machine is.
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust(step)
    }
    return yield* Fiber.join(fiber)
  })
