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

/** One clock over many things that hardly ever reach their limits. */
export interface Clock {
  readonly limit: TimeLimit
  /** As `Effect.callback`, for what is told of its end by others: `begin` returns what stops it. */
  readonly callback: <A, E, E2>(
    begin: (resume: (result: Effect.Effect<A, E>) => void) => () => void,
    milliseconds: number,
    tooLate: () => E2
  ) => Effect.Effect<A, E | E2>
}

/**
 * Something that has a limit. A set may remember for long what left it, so that what stops it is taken away with it: who
 * holds that holds all that it has made.
 */
class Due {
  readonly at: number
  stop: (() => void) | undefined
  isLate = false

  constructor(at: number) {
    this.at = at
  }

  end() {
    this.isLate = true
    this.stop?.()
  }
}

/**
 * Limits for many things that hardly ever reach theirs: one clock watches over all of them, where each with a clock of its
 * own would cost more than what many of them do.
 */
export const makeClock: Effect.Effect<Clock, never, Scope.Scope> = Effect.map(Effect.scope, (scope) => {
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

  /** What begins now: it stands on the list before the clock is set, as the fiber may have to let others go on in between. */
  const begun = (milliseconds: number) =>
    Effect.flatMap(monotonicMillis, (now) => {
      const one = new Due(now + milliseconds)
      due.add(one)
      return Effect.as(watched(one.at), one)
    })

  const leave = (one: Due) => {
    due.delete(one)
    one.stop = undefined
  }

  const waitFor = <A, E, E2>(fiber: Fiber.Fiber<A, E>, one: Due, tooLate: () => E2) =>
    Effect.callback<A, E | E2>((resume) => {
      one.stop = () => fiber.interruptUnsafe()
      if (one.isLate) one.stop()
      fiber.addObserver((exit) => {
        leave(one)
        resume(one.isLate ? Effect.failSync(tooLate) : exit)
      })
      return Effect.suspend(() => {
        leave(one)
        return Fiber.interrupt(fiber)
      })
    })

  const limit: TimeLimit = (self, milliseconds, tooLate) =>
    Effect.flatMap(Effect.forkChild(self, { startImmediately: true }), (fiber) =>
      fiber.pollUnsafe() === undefined
        ? Effect.flatMap(begun(milliseconds), (one) => waitFor(fiber, one, tooLate))
        : Fiber.join(fiber)
    )

  const callback = <A, E, E2>(
    begin: (resume: (result: Effect.Effect<A, E>) => void) => () => void,
    milliseconds: number,
    tooLate: () => E2
  ) =>
    Effect.flatMap(begun(milliseconds), (one) =>
      Effect.callback<A, E | E2>((resume) => {
        if (one.isLate) return resume(Effect.failSync(tooLate))
        const stop = begin((result) => {
          leave(one)
          resume(result)
        })
        one.stop = () => {
          leave(one)
          stop()
          resume(Effect.failSync(tooLate))
        }
        return Effect.sync(() => {
          leave(one)
          stop()
        })
      })
    )

  return { limit, callback }
})

/** The limits of such a clock. */
export const make: Effect.Effect<TimeLimit, never, Scope.Scope> = Effect.map(makeClock, ({ limit }) => limit)
