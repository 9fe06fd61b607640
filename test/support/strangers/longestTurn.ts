import { threadCpuUsage } from "node:process"

import { Effect } from "effect"

const worked = () => {
  const { system, user } = threadCpuUsage()
  return (system + user) / 1000
}

/**
 * Milliseconds of the longest turn of the event loop while an effect runs, in which nobody else is served. The time that
 * this thread worked is counted, whatever else the machine does.
 */
export const longestTurn = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<readonly [A, number], E, R> =>
  Effect.suspend(() => {
    let longest = 0
    let isOver = false
    let before = worked()
    const turn = () => {
      const now = worked()
      longest = Math.max(longest, now - before)
      before = now
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    return Effect.map(effect, (value) => {
      isOver = true
      return [value, Math.max(longest, worked() - before)] as const
    })
  })
