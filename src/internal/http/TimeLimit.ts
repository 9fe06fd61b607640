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
 * Limits for many things that hardly ever reach theirs: one clock watches over all of them, where each with a clock of its
 * own would cost more than what many of them do.
 */
export const make: Effect.Effect<TimeLimit, never, Scope.Scope> = Effect.map(Effect.scope, (scope) => {
  /** What ends each of them, and when. */
  const due = new Map<() => void, number>()
  let watching: Fiber.Fiber<void> | undefined
  let wakesAt = Infinity

  const watch = Effect.gen(function* () {
    while (due.size > 0) {
      const now = yield* monotonicMillis
      wakesAt = Infinity
      for (const [end, at] of due) {
        if (at <= now) end()
        else wakesAt = Math.min(wakesAt, at)
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
      let isLate = false
      const end = () => {
        due.delete(end)
        isLate = true
        fiber.interruptUnsafe()
      }
      due.set(end, at)
      fiber.addObserver((exit) => {
        due.delete(end)
        resume(isLate ? Effect.failSync(tooLate) : exit)
      })
      return Effect.suspend(() => {
        due.delete(end)
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
