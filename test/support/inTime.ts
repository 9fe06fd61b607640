import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** Runs a program while the test clock runs, so many milliseconds at a step, until it is done. */
export const inTime = <A, E, R>(program: Effect.Effect<A, E, R>, step = 200) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program)
    while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust(step)
    return yield* Fiber.join(fiber)
  })
