import { Data, Effect, Semaphore } from "effect"

import type { InFlightRequest } from "./InFlightRequests.ts"

/** Most requests of one group that work outside of this process at once. The upstream has a far lower limit of its own. */
const limit = 256

/** Longest wait for a turn, in seconds: the rest of the time that callers wait must be enough for the work. */
const longestWait = 30

/** The group was at its limit for as long as a request may wait; nothing was begun. */
export class ConcurrencyGroupFull extends Data.TaggedError("ConcurrencyGroupFull")<{
  readonly concurrencyGroup: string
}> {
  override get message() {
    return (
      `${this.concurrencyGroup} has ${limit} calls under way, and none ended within ${longestWait} seconds. This one was ` +
      "not begun: try again when some are done."
    )
  }
}

interface Entry {
  /** Requests of different groups never wait for each other. */
  readonly concurrencyGroup: string
  /** Whether abandoned work may be stopped halfway. Work that has not begun always may. */
  readonly isSafeToStop: boolean
}

interface Group {
  readonly semaphore: Semaphore.Semaphore
  /** Requests at work and waiting. */
  users: number
}

/** Groups exist for as long as they have requests. */
export const make = () => {
  const groups = new Map<string, Group>()

  const enter = (name: string): Group => {
    const group = groups.get(name) ?? { semaphore: Semaphore.makeUnsafe(limit), users: 0 }
    groups.set(name, group)
    group.users++
    return group
  }

  const leave = (name: string, group: Group) => {
    if (--group.users === 0) groups.delete(name)
  }

  const run = <A, E, R>(
    self: Effect.Effect<A, E, R>,
    { concurrencyGroup, isSafeToStop }: Entry,
    request: InFlightRequest
  ): Effect.Effect<A, E | ConcurrencyGroupFull, R> =>
    Effect.suspend(() => {
      let group: Group | undefined
      return Effect.ensuring(
        Effect.suspend(() => {
          group = enter(concurrencyGroup)
          const hasToWait = group.users > limit
          let isBegun = false
          const work = group.semaphore.withPermit(
            Effect.suspend(() => {
              isBegun = true
              request.isCommitted = !isSafeToStop
              return self
            })
          )
          if (!hasToWait) return work
          const full = Effect.suspend(() =>
            isBegun ? Effect.never : Effect.fail(new ConcurrencyGroupFull({ concurrencyGroup }))
          )
          return Effect.raceFirst(work, Effect.andThen(Effect.sleep(`${longestWait} seconds`), full))
        }),
        Effect.sync(() => {
          if (group !== undefined) leave(concurrencyGroup, group)
        })
      )
    })

  return { run, /** Groups in use. */ size: () => groups.size }
}
