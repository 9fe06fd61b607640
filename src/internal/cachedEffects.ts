import { Effect, type Context, Exit, Fiber } from "effect"

import { monotonicMillis } from "./http/monotonicMillis.ts"

interface Options<A, E, R> {
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
}: Options<A, E, R>) {
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
