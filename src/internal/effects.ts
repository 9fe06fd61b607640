import { type Context, Effect, Exit, Fiber, References } from "effect"

import type { Sliced } from "./Sliced.ts"
import { monotonicMillis } from "./time.ts"

/**
 * The effect as a span of its own, where traces are made at all: a span that nobody looks at would still cost more than
 * many a request.
 */
export const spanned =
  (name: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(References.TracerEnabled, (isOn) =>
      isOn ? Effect.withSpan(self, name, { captureStackTrace: false }) : self
    )

/** Most weight of one slice: some milliseconds, as long as others may wait. */
const slice = 100

/** Runs a computation slice by slice: after each, whatever else the process has to do has its turn. */
export const inSlices = <A>(begin: () => Sliced<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const sliced = begin()
    const next: Effect.Effect<A> = Effect.suspend(() => {
      for (let weight = 0; ;) {
        const { done, value } = sliced.next()
        if (done === true) return Effect.succeed(value)
        weight += value
        if (weight >= slice) return Effect.andThen(Effect.yieldNow, next)
      }
    })
    return next
  })

/** Units of work, such as characters that are parsed, that take some milliseconds together. */
const sliceSize = 20_000

/** Long work in slices: told how much was done since the last time, it lets others have their turn after every slice. */
export const slices = (size = sliceSize): ((done: number) => Effect.Effect<void>) => {
  let left = size
  return (done) => {
    left -= done
    if (left > 0) return Effect.void
    left = size
    return Effect.yieldNow
  }
}

interface Revalidation<A, E, R> {
  readonly initial: A
  readonly lookUp: Effect.Effect<A, E, R>
  /** Milliseconds from the end of one look-up to the next, whether or not it succeeded. */
  readonly pause: number
  /** Whether a value may have to be looked up anew; always, where it is left out. */
  readonly isStale?: (value: A) => boolean
}

/**
 * Answers at once with the latest value; asking starts the next look-up in the background, one at a time. One that fails
 * leaves the value. Where nobody asks, nothing is looked up.
 */
export const staleWhileRevalidate = Effect.fnUntraced(function* <A, E, R>({
  initial,
  isStale = () => true,
  lookUp,
  pause
}: Revalidation<A, E, R>) {
  const scope = yield* Effect.scope
  let value = initial
  let isLookingUp = false
  let next = -Infinity

  const revalidate = lookUp.pipe(
    Effect.map((fresh) => {
      value = fresh
    }),
    Effect.catchCause(() => Effect.void),
    Effect.ensuring(
      Effect.map(monotonicMillis, (now) => {
        next = now + pause
        isLookingUp = false
      })
    )
  )

  return Effect.gen(function* () {
    if (isLookingUp || !isStale(value) || (yield* monotonicMillis) < next) return value
    isLookingUp = true
    return yield* Effect.as(Effect.forkIn(revalidate, scope), value)
  })
})

/**
 * A value that is made once, when it is first asked for, however many ask and whoever of them leaves; what failed is tried
 * again for the next.
 */
export const cachedSuccess = <A, E, R>(make: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E>, never, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.sync(() => {
      let making: Fiber.Fiber<A, E> | undefined
      let made: Effect.Effect<A, E> | undefined
      const begun = Effect.map(
        Effect.forkDetach(Effect.provideContext(make, context), { startImmediately: true }),
        (fiber) => {
          making = fiber
          fiber.addObserver((exit) => {
            making = undefined
            if (Exit.isSuccess(exit)) made = exit
          })
          return fiber
        }
      )
      return Effect.suspend(
        () => made ?? (making === undefined ? Effect.flatMap(begun, Fiber.join) : Fiber.join(making))
      )
    })
  )
