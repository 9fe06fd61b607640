import { Data, Effect, Fiber, Option, Semaphore } from "effect"

import { Linked, LinkedSet } from "../../internal/collections.ts"
import type { Outcome } from "./Message.ts"

/** A request being served, as seen by whatever may want to stop it. */
export class InFlightRequest extends Linked<InFlightRequest> {
  /** Whether stopping it now would leave something half done. */
  isCommitted = false
  /** Dropped when the request ends: others may hold this object for long, and the fiber keeps everything it made. */
  private fiber: Fiber.Fiber<Outcome> | undefined
  private stoppedWith: Option.Option<Outcome> | undefined
  private readonly ifStopped: (request: InFlightRequest) => Outcome

  constructor(ifStopped: (request: InFlightRequest) => Outcome) {
    super()
    this.ifStopped = ifStopped
  }

  /** The outcome if there is no time left. */
  outcomeOutOfTime() {
    return this.ifStopped(this)
  }

  /** The outcome of the work, or of stopping it. */
  run<R>(work: Effect.Effect<Outcome, never, R>): Effect.Effect<Option.Option<Outcome>, never, R> {
    return Effect.flatMap(Effect.forkChild(work, { startImmediately: true }), (fiber) => {
      this.fiber = fiber
      // The work may have stopped its own request while it started.
      if (this.stoppedWith !== undefined) fiber.interruptUnsafe()
      return Effect.matchCauseEffect(Fiber.join(fiber), {
        onSuccess: (outcome) => Effect.succeed(this.stoppedWith ?? Option.some(outcome)),
        onFailure: (cause) =>
          this.stoppedWith === undefined ? Effect.failCause(cause) : Effect.succeed(this.stoppedWith)
      })
    })
  }

  /** Releases the work once nobody waits for it any more. */
  release() {
    this.fiber = undefined
  }

  /** Interrupts the work; the request then has this outcome. */
  stop(outcome: Option.Option<Outcome>) {
    if (this.stoppedWith !== undefined) return
    this.stoppedWith = outcome
    this.fiber?.interruptUnsafe()
  }
}

/** The requests in flight of all sessions of one transport. */
export const makeInFlightRequests = () => {
  const inFlight = new LinkedSet<InFlightRequest>()
  let isOver = false

  return {
    /** Counts a request as in flight during its work, then calls `onEnd`. */
    during: <R>(
      request: InFlightRequest,
      work: Effect.Effect<Outcome, never, R>,
      onEnd: () => void
    ): Effect.Effect<Option.Option<Outcome>, never, R> =>
      Effect.ensuring(
        Effect.suspend(() => {
          if (isOver) return Effect.succeedSome(request.outcomeOutOfTime())
          inFlight.add(request)
          return request.run(work)
        }),
        Effect.sync(() => {
          inFlight.delete(request)
          request.release()
          onEnd()
        })
      ),
    /** Time is up: every request in flight, and every later one, gets this outcome. */
    stop: Effect.sync(() => {
      isOver = true
      for (const request of inFlight) request.stop(Option.some(request.outcomeOutOfTime()))
    })
  }
}

export type InFlightRequests = ReturnType<typeof makeInFlightRequests>

/** Most requests of one group that work outside of this process at once. The upstream has a far lower mostInGroup of its own. */
const mostInGroup = 256

/** Longest wait for a turn, in seconds: the rest of the time that callers wait must be enough for the work. */
const longestWait = 30

/** The group was at its mostInGroup for as long as a request may wait; nothing was begun. */
export class ConcurrencyGroupFull extends Data.TaggedError("ConcurrencyGroupFull")<{
  readonly concurrencyGroup: string
}> {
  override get message() {
    return (
      `${this.concurrencyGroup} has ${mostInGroup} calls under way, and none ended within ${longestWait} seconds. This one was ` +
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
export const makeConcurrencyGroups = () => {
  const groups = new Map<string, Group>()

  const enter = (name: string): Group => {
    const group = groups.get(name) ?? { semaphore: Semaphore.makeUnsafe(mostInGroup), users: 0 }
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
          const hasToWait = group.users > mostInGroup
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
