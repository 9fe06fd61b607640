import { Effect, Fiber, type Scope } from "effect"

import { monotonicMillis } from "./monotonicMillis.ts"

/** Stops what takes longer than so many milliseconds, and fails with what is said then. */
export type TimeLimit = <A, E, E2, R>(
  self: Effect.Effect<A, E, R>,
  milliseconds: number,
  tooLate: () => E2
) => Effect.Effect<A, E | E2, R>

/** A limit that anybody can set: a clock of its own for each. */
export const alone: TimeLimit = (self, milliseconds, tooLate) =>
  Effect.timeoutOrElse(self, { duration: milliseconds, orElse: () => Effect.failSync(tooLate) })

/**
 * Something that has a limit. A set may remember for long what left it, so that its fiber is taken away with it: who holds
 * that holds all that it has made.
 */
class Due {
  readonly at: number
  fiber: Fiber.Fiber<unknown, unknown> | undefined
  isLate = false

  constructor(at: number, fiber: Fiber.Fiber<unknown, unknown>) {
    this.at = at
    this.fiber = fiber
  }

  end() {
    this.isLate = true
    this.fiber?.interruptUnsafe()
  }
}

/**
 * Limits for many things that hardly ever reach theirs: one clock watches over all of them, where each with a clock of its
 * own would cost more than what many of them do.
 */
export const make: Effect.Effect<TimeLimit, never, Scope.Scope> = Effect.map(Effect.scope, (scope) => {
  const due = new Set<Due>()
  let watching: Fiber.Fiber<void> | undefined
  let wakesAt = Infinity

  const watch = Effect.gen(function* () {
    while (due.size > 0) {
      const now = yield* monotonicMillis
      wakesAt = Infinity
      for (const one of due) {
        if (one.at > now) wakesAt = Math.min(wakesAt, one.at)
        else {
          due.delete(one)
          one.end()
        }
      }
      if (wakesAt < Infinity) yield* Effect.sleep(Math.ceil(wakesAt - now))
    }
    watching = undefined
  })

  const watched = (at: number) =>
    Effect.suspend(() => {
      if (watching !== undefined && at >= wakesAt) return Effect.void
      watching?.interruptUnsafe()
      wakesAt = at
      return Effect.map(Effect.forkIn(watch, scope), (fiber) => {
        watching = fiber
      })
    })

  const waitFor = <A, E, E2>(fiber: Fiber.Fiber<A, E>, at: number, tooLate: () => E2) =>
    Effect.callback<A, E | E2>((resume) => {
      const one = new Due(at, fiber)
      due.add(one)
      const leave = () => {
        due.delete(one)
        one.fiber = undefined
      }
      fiber.addObserver((exit) => {
        leave()
        resume(one.isLate ? Effect.failSync(tooLate) : exit)
      })
      return Effect.suspend(() => {
        leave()
        return Fiber.interrupt(fiber)
      })
    })

  return (self, milliseconds, tooLate) =>
    Effect.flatMap(Effect.forkChild(self, { startImmediately: true }), (fiber) => {
      if (fiber.pollUnsafe() !== undefined) return Fiber.join(fiber)
      return Effect.flatMap(monotonicMillis, (now) =>
        Effect.andThen(watched(now + milliseconds), waitFor(fiber, now + milliseconds, tooLate))
      )
    })
})
