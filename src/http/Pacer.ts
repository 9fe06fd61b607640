import { Clock, Effect } from "effect"

/**
 * Spaces callers out so that no window of one second ever sees `perSecond` + `burst` of them (GCRA): each waits for its
 * own moment, in the order of arrival.
 */
export const make = ({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }) => {
  const interval = 1000 / perSecond
  let next = 0
  return Clock.currentTimeMillis.pipe(
    Effect.flatMap((now) => {
      const moment = Math.max(now - burst * interval, next)
      next = moment + interval
      return moment > now ? Effect.sleep(moment - now) : Effect.void
    })
  )
}
