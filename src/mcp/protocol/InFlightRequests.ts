import { Effect, Fiber, Option } from "effect"

import { Linked, LinkedSet } from "../../internal/collections.ts"
import type { Outcome } from "./Response.ts"

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
export const make = () => {
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

export type InFlightRequests = ReturnType<typeof make>
