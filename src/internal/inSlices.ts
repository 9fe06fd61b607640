import { Effect } from "effect"

import type { Sliced } from "./Sliced.ts"

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
