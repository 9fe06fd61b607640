import { Effect } from "effect"

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
