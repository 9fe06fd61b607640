import { Effect } from "effect"

/**
 * The workflows that were written while something else was being read: such a reading may show the workflow before or after
 * the change, so it is not recorded.
 */
export const makeWritesUnderWay = () => {
  let time = 0
  const underWay = new Map<string, number>()
  const ended = new Map<string, number>()

  const add = (id: string, count: number) => {
    const left = (underWay.get(id) ?? 0) + count
    if (left === 0) underWay.delete(id)
    else underWay.set(id, left)
  }

  return {
    now: () => time,
    touchedSince: (since: number, id: string): boolean => underWay.has(id) || (ended.get(id) ?? -1) >= since,
    during: <A, E, R>(id: string, write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        Effect.sync(() => add(id, 1)),
        () => write,
        () =>
          Effect.sync(() => {
            add(id, -1)
            ended.delete(id)
            ended.set(id, time++)
            for (const oldest of ended.keys()) {
              if (ended.size <= mostRemembered) break
              ended.delete(oldest)
            }
          })
      )
  }
}

/** Readings never take so long that more writes end meanwhile. */
const mostRemembered = 10_000
