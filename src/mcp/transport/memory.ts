import { Effect } from "effect"

import { allCalls, type Room } from "../../internal/http/MemoryBudget.ts"

/** So little that it is not counted. */
const small = 64 * 1024

/**
 * The share of one call in the memory. Who holds some already never waits for more, or all could wait for each other: the
 * largest amount counts.
 */
export interface Share extends Room {
  /** Takes the room if it is there, and tells whether it was. */
  readonly takeNow: (bytes: number) => boolean
  /** One more that closes it. */
  readonly join: () => void
  /** Gives everything back, once all who joined have closed it. */
  readonly close: () => void
}

/** One budget of memory, in the order of arrival. */
export const make = (most = allCalls) => {
  let used = 0
  const waiting = new Set<() => boolean>()

  const wake = () => {
    for (const tryAgain of waiting) {
      if (!tryAgain()) return
      waiting.delete(tryAgain)
    }
  }

  const open = (): Share => {
    let held = 0
    let settled = 0
    let users = 1

    const grow = (bytes: number) => {
      used += Math.max(bytes - held, 0)
      held = Math.max(bytes, held)
    }
    /** A share larger than the whole budget fits when nothing else is there. */
    const grab = (bytes: number): boolean => {
      const fits = bytes <= small || held > 0 || used === 0 || used + bytes <= most
      if (fits && bytes > small) grow(bytes)
      return fits
    }

    /** Whoever needs little does not wait behind those who wait for much. */
    const takeNow = (bytes: number) => (waiting.size === 0 || held > 0 || bytes <= small) && grab(bytes)

    const take = (bytes: number) =>
      Effect.suspend(() => {
        if (takeNow(bytes)) return Effect.void
        return Effect.callback<void>((resume) => {
          const tryAgain = () => {
            const isThere = grab(bytes)
            if (isThere) resume(Effect.void)
            return isThere
          }
          waiting.add(tryAgain)
          return Effect.sync(() => {
            waiting.delete(tryAgain)
            wake()
          })
        })
      })

    const close = () => {
      if (--users > 0) return
      used -= held
      held = 0
      wake()
    }

    const settle = (bytes: number) => {
      if (bytes > small) settled = Math.max(settled, bytes)
      if (held === settled) return
      used += settled - held
      held = settled
      wake()
    }

    return { take, takeNow, settle, join: () => void users++, close }
  }

  return { open, used: () => used }
}

export type Memory = ReturnType<typeof make>
