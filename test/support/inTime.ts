import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

// Programs load these at their first use, for which the test clock would not wait.
await Promise.all([import("../../src/engine/nodes/check/acorn.ts"), import("../../src/mcp/agreement.ts")])

/** More steps than any test takes: a program that waits for something else than time would never end. */
const mostSteps = 200_000

/** The digest of a turn itself, for which the turns of another clock do not wait. */
const digest = crypto.subtle.digest.bind(crypto.subtle)

/** Digests and signatures on which other threads work. */
const threads = { atWork: 0 }
for (const name of ["digest", "importKey", "sign", "verify"] as const) {
  const original = crypto.subtle[name]
  const counted = async (...args: ReadonlyArray<unknown>): Promise<unknown> => {
    threads.atWork++
    try {
      return await Reflect.apply(original, crypto.subtle, args)
    } finally {
      threads.atWork--
    }
  }
  Object.defineProperty(crypto.subtle, name, { configurable: true, value: counted })
}

const nothing = new Uint8Array()

/** Gives work beside the clock, on sockets and on the threads that sign and digest, its turn however busy the machine is. */
const turn = Effect.promise(async () => {
  do await Promise.all([new Promise((resolve) => setImmediate(resolve)), digest("SHA-256", nothing)])
  while (threads.atWork > 0)
})

/** Runs a program while the test clock runs, so many milliseconds at a step, until it is done. */
export const inTime = <A, E, R>(program: Effect.Effect<A, E, R>, step = 200) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program)
    let steps = 0
    while (fiber.pollUnsafe() === undefined) {
      assert.isBelow(steps++, mostSteps, `not done after ${(steps * step) / 1000} seconds of the test clock`)
      yield* turn
      yield* TestClock.adjust(step)
    }
    return yield* Fiber.join(fiber)
  })
