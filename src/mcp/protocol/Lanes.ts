import { Data, Effect, Semaphore } from "effect"

import type { Flight } from "./Flights.ts"

/**
 * Requests of one lane that may be at work outside of this process at once; the others wait their turn. What they work
 * on has a far lower limit of its own.
 */
const places = 256

/** Longest wait for a place: what is left of the time that callers wait must still be enough for the work. */
const longestWait = 30

/** All places were taken for as long as a request may wait; nothing was begun. */
export class LaneFull extends Data.TaggedError("LaneFull")<{ readonly lane: string }> {
  override get message() {
    return (
      `${this.lane} has ${places} calls under way, and none ended within ${longestWait} seconds. This one was not ` +
      "begun: try again when some are done."
    )
  }
}

export interface Entry {
  /** Requests of different lanes never wait for each other. */
  readonly lane: string
  /** Whether work that nobody waits for may be stopped halfway. Work that was not begun always is. */
  readonly isSafeToStop: boolean
}

interface Lane {
  readonly semaphore: Semaphore.Semaphore
  /** Requests at work and waiting. */
  users: number
}

/** Lanes come and go with their requests. */
export const make = () => {
  const lanes = new Map<string, Lane>()

  const enter = (name: string): Lane => {
    const lane = lanes.get(name) ?? { semaphore: Semaphore.makeUnsafe(places), users: 0 }
    lanes.set(name, lane)
    lane.users++
    return lane
  }

  const leave = (name: string, lane: Lane) => {
    if (--lane.users === 0) lanes.delete(name)
  }

  const run = <A, E, R>(
    self: Effect.Effect<A, E, R>,
    { isSafeToStop, lane: name }: Entry,
    flight: Flight
  ): Effect.Effect<A, E | LaneFull, R> =>
    Effect.suspend(() => {
      let lane: Lane | undefined
      return Effect.ensuring(
        Effect.suspend(() => {
          lane = enter(name)
          const hasToWait = lane.users > places
          let isBegun = false
          const work = lane.semaphore.withPermit(
            Effect.suspend(() => {
              isBegun = true
              flight.isCommitted = !isSafeToStop
              return self
            })
          )
          if (!hasToWait) return work
          const full = Effect.suspend(() => (isBegun ? Effect.never : Effect.fail(new LaneFull({ lane: name }))))
          return Effect.raceFirst(work, Effect.andThen(Effect.sleep(`${longestWait} seconds`), full))
        }),
        Effect.sync(() => {
          if (lane !== undefined) leave(name, lane)
        })
      )
    })

  return { run, /** Lanes in use. */ size: () => lanes.size }
}
