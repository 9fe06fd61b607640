import { Effect, Semaphore } from "effect"

import { monotonicMillis } from "./monotonicMillis.ts"

/** After a pause this much of the coming time may be used up at once. */
const longestLead = 100

/** What a window of one second never reaches, however the callers come. */
const ceiling = 100

/**
 * Spaces callers out (GCRA), in the order of arrival: `perSecond` in the long run, a tenth more in any one second, and up
 * to 99 per second never 100 in any. A caller that gives up while waiting leaves its moment to the next one.
 */
export const make = (perSecond: number): Effect.Effect<void> => {
  if (perSecond === Infinity) return Effect.void
  const interval = 1000 / perSecond
  const lead = Math.min(longestLead, Math.max((ceiling - 1 - perSecond) * interval, 0))
  const line = Semaphore.makeUnsafe(1)
  let due = -Infinity
  return line.withPermit(
    Effect.gen(function* () {
      let now = yield* monotonicMillis
      while (now < due - lead) {
        yield* Effect.sleep(Math.ceil(due - lead - now))
        now = yield* monotonicMillis
      }
      due = Math.max(now, due) + interval
    })
  )
}
