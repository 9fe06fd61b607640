import { Clock, Effect, Fiber, type Scope } from "effect"

import { Linked, LinkedSet } from "./collections.ts"

/** The milliseconds on a clock that nobody sets: for how long things take, never for what time it is. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1_000_000
)

/** A moment, in milliseconds since 1970, as ISO 8601. */
export const isoOf = (at: number): string => new Date(at).toISOString()

/** The same for people, to the minute: `2026-11-21 09:30 UTC`. */
export const minuteOf = (at: number): string => `${isoOf(at).slice(0, 16).replace("T", " ")} UTC`

/** Seconds as people say them: `40 s`, `12 min`, `2 h 5 min`. */
export const durationOf = (seconds: number): string => {
  if (seconds < 120) return `${Math.round(seconds * 10) / 10} s`
  const minutes = Math.round(seconds / 60)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return hours === 0 ? `${minutes} min` : rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
}

/** The least time that can have passed, by both clocks of the machine, since a moment: it may have started anew meanwhile. */
export const elapsedSince = (
  at: number,
  uptime: number | undefined,
  { millis, now }: { readonly now: number; readonly millis: number }
): number => {
  if (uptime === undefined) return now - at
  const elapsed = millis < uptime ? millis : millis - uptime
  return at <= now ? Math.min(now - at, elapsed) : elapsed
}

/** Interrupts an effect that takes longer than this many milliseconds, and fails with the given error. */
export type TimeLimit = <A, E, E2, R>(
  self: Effect.Effect<A, E, R>,
  milliseconds: number,
  tooLate: () => E2
) => Effect.Effect<A, E | E2, R>

/** Time limits with a timer each. */
export const timeLimit: TimeLimit = (self, milliseconds, tooLate) =>
  Effect.timeoutOrElse(self, { duration: milliseconds, orElse: () => Effect.failSync(tooLate) })

/** Time limits that share one timer, for work that hardly ever reaches its limit: a timer each takes 7 % more of a get. */
interface SharedClock {
  readonly limit: TimeLimit
  /** As `Effect.callback`, for what is told of its end by others: `begin` returns what stops it. */
  readonly callback: <A, E, E2>(
    begin: (resume: (result: Effect.Effect<A, E>) => void) => () => void,
    milliseconds: number,
    tooLate: () => E2
  ) => Effect.Effect<A, E | E2>
}

/** Something that has a limit. */
class Due extends Linked<Due> {
  readonly at: number
  isLate = false
  private stop: (() => void) | undefined

  constructor(at: number) {
    super()
    this.at = at
  }

  /** V8 makes a function in old space that is written where it is set as a property, so that it would outlive its call. */
  stoppedBy(stop: () => void) {
    this.stop = stop
    if (this.isLate) stop()
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
export const makeClock: Effect.Effect<SharedClock, never, Scope.Scope> = Effect.map(Effect.scope, (scope) => {
  const due = new LinkedSet<Due>()
  let watching: Fiber.Fiber<void> | undefined
  let wakesAt = Infinity

  const watch = Effect.gen(function* () {
    while (!due.isEmpty) {
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
      watching?.interruptUnsafe()
      wakesAt = at
      return Effect.map(Effect.forkIn(watch, scope), (fiber) => {
        watching = fiber
      })
    })

  /** Begins work now: it stands on the list before the clock is set, as the fiber may have to let others go on in between. */
  const begun = <A, E>(milliseconds: number, then: (one: Due) => Effect.Effect<A, E>) =>
    Effect.flatMap(monotonicMillis, (now) => {
      const one = due.add(new Due(now + milliseconds))
      return watching !== undefined && one.at >= wakesAt ? then(one) : Effect.andThen(watched(one.at), then(one))
    })

  const waitFor = <A, E, E2>(fiber: Fiber.Fiber<A, E>, one: Due, tooLate: () => E2) =>
    Effect.callback<A, E | E2>((resume) => {
      one.stoppedBy(() => fiber.interruptUnsafe())
      fiber.addObserver((exit) => {
        due.delete(one)
        resume(one.isLate ? Effect.failSync(tooLate) : exit)
      })
      return Effect.suspend(() => {
        due.delete(one)
        return Fiber.interrupt(fiber)
      })
    })

  const limit: TimeLimit = (self, milliseconds, tooLate) =>
    Effect.flatMap(Effect.forkChild(self, { startImmediately: true }), (fiber) =>
      fiber.pollUnsafe() === undefined ? begun(milliseconds, (one) => waitFor(fiber, one, tooLate)) : Fiber.join(fiber)
    )

  const callback = <A, E, E2>(
    begin: (resume: (result: Effect.Effect<A, E>) => void) => () => void,
    milliseconds: number,
    tooLate: () => E2
  ) =>
    begun(milliseconds, (one) =>
      Effect.callback<A, E | E2>((resume) => {
        if (one.isLate) return resume(Effect.failSync(tooLate))
        const stop = begin((result) => {
          due.delete(one)
          resume(result)
        })
        one.stoppedBy(() => {
          due.delete(one)
          stop()
          resume(Effect.failSync(tooLate))
        })
        return Effect.sync(() => {
          due.delete(one)
          stop()
        })
      })
    )

  return { limit, callback }
})

/** The limits of such a clock. */
export const makeTimeLimit: Effect.Effect<TimeLimit, never, Scope.Scope> = Effect.map(makeClock, ({ limit }) => limit)
