import { Effect, Fiber, Option } from "effect"

import { Linked, LinkedSet } from "../../internal/LinkedSet.ts"
import type { Outcome } from "./Response.ts"

/** A request that is being served, for who may want to stop it. */
export class Flight extends Linked<Flight> {
  /** Whether it is at work on something that would be left half done; told by who serves it. */
  isCommitted = false
  /** Only while it is under way: what once held the flight may do so for long, and the fiber holds all that it has made. */
  private fiber: Fiber.Fiber<Outcome> | undefined
  private ending: Option.Option<Outcome> | undefined
  readonly cut: () => Outcome

  /** `cut` is its answer where there is no time left for another one. */
  constructor(cut: () => Outcome) {
    super()
    this.cut = cut
  }

  /** The answer of the work, or what was said when it was stopped. */
  run<R>(work: Effect.Effect<Outcome, never, R>): Effect.Effect<Option.Option<Outcome>, never, R> {
    return Effect.flatMap(Effect.forkChild(work, { startImmediately: true }), (fiber) => {
      this.fiber = fiber
      // It may have been stopped by what it did at once.
      if (this.ending !== undefined) fiber.interruptUnsafe()
      return Effect.matchCauseEffect(Fiber.join(fiber), {
        onSuccess: (outcome) => Effect.succeed(this.ending ?? Option.some(outcome)),
        onFailure: (cause) => (this.ending === undefined ? Effect.failCause(cause) : Effect.succeed(this.ending))
      })
    })
  }

  /** Nobody waits for it any more. */
  land() {
    this.fiber = undefined
  }

  /** Stops the work; `answer` is what there is to say of it then. */
  stop(answer: Option.Option<Outcome>) {
    if (this.ending !== undefined) return
    this.ending = answer
    this.fiber?.interruptUnsafe()
  }
}

/** The requests under way of all conversations of one transport. */
export const make = () => {
  const inFlight = new LinkedSet<Flight>()
  let isOver = false

  return {
    /** Lists a request for as long as it is served; `landed` is told when it is not any more. */
    during: <R>(
      flight: Flight,
      work: Effect.Effect<Outcome, never, R>,
      landed: () => void
    ): Effect.Effect<Option.Option<Outcome>, never, R> =>
      Effect.ensuring(
        Effect.suspend(() => {
          if (isOver) return Effect.succeedSome(flight.cut())
          inFlight.add(flight)
          return flight.run(work)
        }),
        Effect.sync(() => {
          inFlight.delete(flight)
          flight.land()
          landed()
        })
      ),
    /** Time is up: what is being served now or comes later is answered with its cut. */
    stop: Effect.sync(() => {
      isOver = true
      for (const flight of inFlight) flight.stop(Option.some(flight.cut()))
    })
  }
}

export type Flights = ReturnType<typeof make>
