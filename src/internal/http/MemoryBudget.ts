import { Context, Effect } from "effect"

/** Bytes of messages and answers in flight that all calls together may hold; what is made of them takes some times more. */
export const allCalls = 128 * 1024 * 1024

/** Bytes of them that may be on their way from one upstream: however slow it is, others have as much again. */
export const oneUpstream = allCalls / 2

/** The memory that the call around may hold, which it gives back when its answer has been sent. */
export interface Room {
  /** Waits until there is room for so many bytes. */
  readonly take: (bytes: number) => Effect.Effect<void>
  /** Says how many of these bytes are held to the end of the call; others have the rest of them. */
  readonly settle: (bytes: number) => void
}

/** Nothing to wait for where nobody counts. */
export const MemoryBudget = Context.Reference<Room>("workflow-tool-server/http/MemoryBudget", {
  defaultValue: () => ({ take: () => Effect.void, settle: () => {} })
})

/**
 * More bytes of an answer than the call around it can do anything with: such an answer is not read to its end. Unlimited
 * where nobody says.
 */
export const UsefulBytes = Context.Reference<number>("workflow-tool-server/http/UsefulBytes", {
  defaultValue: () => Infinity
})

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
export const makeMemory = (most = allCalls) => {
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

export type Memory = ReturnType<typeof makeMemory>
