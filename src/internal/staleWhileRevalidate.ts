import { Effect } from "effect"

import { monotonicMillis } from "./http/monotonicMillis.ts"

interface Options<A, E, R> {
  readonly initial: A
  readonly lookUp: Effect.Effect<A, E, R>
  /** Milliseconds from the end of one look-up to the next, whether or not it succeeded. */
  readonly pause: number
  /** Whether what is known may have to be looked up anew; always, where it is left out. */
  readonly isStale?: (known: A) => boolean
}

/**
 * Answers at once with what is known; asking starts the next look-up in the background, one at a time. One that fails
 * leaves what is known. Where nobody asks, nothing is looked up.
 */
export const staleWhileRevalidate = Effect.fnUntraced(function* <A, E, R>({
  initial,
  isStale = () => true,
  lookUp,
  pause
}: Options<A, E, R>) {
  const scope = yield* Effect.scope
  let known = initial
  let isLookingUp = false
  let next = -Infinity

  const revalidate = lookUp.pipe(
    Effect.map((found) => {
      known = found
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
    if (isLookingUp || !isStale(known) || (yield* monotonicMillis) < next) return known
    isLookingUp = true
    return yield* Effect.as(Effect.forkIn(revalidate, scope), known)
  })
})
