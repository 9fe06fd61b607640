import { Context, type Duration, Effect, Semaphore } from "effect"

import { monotonicMillis } from "../time.ts"

/** A paced request without an answer counts as having left after this many milliseconds at the latest. */
const longestDeparture = 1000

/** A limited call is over after this many milliseconds at the latest, whatever became of it. */
const longestCall = 60_000

/**
 * One request. It leaves some time between `begun` and `ended`, when its answer begins or it is over: a connection may
 * have to be made first.
 */
interface Departure {
  readonly begun: number
  ended: number | undefined
}

/** The number of requests in a window, and how long each takes part in it. */
interface Window {
  readonly places: number
  readonly windowMs: number
  /** A request without an answer counts as sent after this many milliseconds at the latest. */
  readonly longestMs: number
  /** Milliseconds by which a place is free sooner than a window after the answer, though not sooner than a window after the request. */
  readonly slackMs: number
}

/**
 * Places of a window, which are taken in the order of arrival; one that gives up while waiting leaves its place to the next.
 * `isNear` may fail where the wait is long.
 */
const makePlaces = <E>(
  { longestMs, places, slackMs, windowMs }: Window,
  isNear: (waitMs: number, waitedMs: number) => Effect.Effect<void, E>
) => {
  const recent = new Set<Departure>()
  const line = Semaphore.makeUnsafe(1)
  let [notBefore, oneByOneUntil] = [0, 0]

  /** The earliest moment at which a departure can no longer be in the same window as a new one, as far as known now. */
  const overAt = ({ begun, ended }: Departure, now: number) =>
    Math.max(begun, Math.min(ended ?? Math.max(now, begun), begun + longestMs) - slackMs) + windowMs

  /** Takes a place that is free now, if there is one. After a pause, each makes the next one wait. */
  const take = (now: number): Departure | undefined => {
    if (recent.size >= places) {
      for (const departure of recent) if (overAt(departure, now) <= now) recent.delete(departure)
    }
    if (recent.size >= places || now < notBefore) return undefined
    if (now < oneByOneUntil) notBefore = now + windowMs / places
    const departure: Departure = { begun: now, ended: undefined }
    recent.add(departure)
    return departure
  }

  let waiting = 0
  const inLine = Effect.acquireUseRelease(
    Effect.sync(() => waiting++),
    () => line.withPermit(free),
    () => Effect.sync(() => waiting--)
  )
  /** Waits until a place is free. */
  const free = Effect.gen(function* () {
    const since = yield* monotonicMillis
    while (true) {
      const now = yield* monotonicMillis
      const departure = take(now)
      if (departure !== undefined) return departure
      const first = recent.size < places ? now : Math.min(...[...recent].map((one) => overAt(one, now)))
      const waitMs = Math.max(first, notBefore) - now
      yield* isNear(waitMs, now - since)
      // A pause may be asked for during this sleep, so everything is looked at again after it.
      yield* Effect.sleep(Math.ceil(waitMs))
    }
  })

  /** A request that comes while none is waiting does not have to queue. */
  const turn = Effect.flatMap(monotonicMillis, (now) => {
    const departure = waiting === 0 ? take(now) : undefined
    return departure === undefined ? inLine : Effect.succeed(departure)
  })

  const end = (departure: Departure) =>
    Effect.map(monotonicMillis, (now) => {
      departure.ended = now
    })

  return {
    run: <A, E2, R>(request: Effect.Effect<A, E2, R>): Effect.Effect<A, E | E2, R> =>
      Effect.flatMap(turn, (departure) => Effect.ensuring(request, end(departure))),
    pause: (ms: number) =>
      Effect.map(monotonicMillis, (now) => {
        notBefore = Math.max(notBefore, now + ms)
        oneByOneUntil = Math.max(oneByOneUntil, now + ms + windowMs)
      })
  }
}

export interface Pacer {
  /** Runs a request at its turn. It must end when its answer begins. */
  readonly run: <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * Lets no second see more than `perSecond` requests leave; inside that, nobody waits. A rate below one, or more `places` than
 * that, stretches the second.
 */
export const makePacer = (perSecond: number, places = Math.max(1, Math.floor(perSecond))): Pacer => {
  if (perSecond === Infinity) return { run: (request) => request }
  const windowMs = (places * 1000) / perSecond
  const { run } = makePlaces({ places, windowMs, longestMs: longestDeparture, slackMs: 0 }, () => Effect.void)
  return { run }
}

/** The time to wait for a lock, and the failure where that was too short, or where nobody can tell who holds it. */
export interface Waiting<E> {
  readonly atMost: Duration.Duration
  readonly busy: (problem?: string) => Effect.Effect<never, E>
}

/** The call would have to wait longer than the caller is willing to. */
export interface NoTurn {
  readonly _tag: "NoTurn"
  readonly waitMs: number
}

/** Keeps calls within a limit. */
export interface Limiter {
  /** Runs calls at their turns, in the order of arrival. */
  readonly run: <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E | NoTurn, R>
  /** The upstream asked for a pause: nothing is sent until it is over, and then one call at a time. */
  readonly pause: (ms: number) => Effect.Effect<void>
}

/** A limit of calls that an upstream sets for a key. */
export interface SharedLimit {
  /** The number of calls in a round of as many intervals. */
  readonly width: number
  readonly intervalMs: number
  /** Milliseconds by which a place is free sooner than a round after the answer, though not sooner than a round after the call. */
  readonly slackMs: number
  readonly maxWaitMs: number
}

/**
 * Sends at most `width` calls in a round of `width` intervals: that keeps every window within the limit and still reaches the
 * full rate. When a call arrives is unknown, except that it is between sending and answer. So a place is free again one round
 * after it was sent, and not before one round minus the slack after its answer: however slow and uneven the network, the
 * upstream's bucket never runs dry.
 */
export const makeLimiter = ({ intervalMs, maxWaitMs, slackMs, width }: SharedLimit): Limiter =>
  makePlaces(
    { places: width, windowMs: width * intervalMs, longestMs: longestCall, slackMs },
    (waitMs, waitedMs): Effect.Effect<void, NoTurn> =>
      waitedMs + waitMs > maxWaitMs ? Effect.fail({ _tag: "NoTurn", waitMs }) : Effect.void
  )

/** The limits and locks on which all servers of the same upstreams agree. One that is alone has nobody to ask. */
export const Coordination = Context.Reference<{
  /** Paces requests to an upstream, by its base URL, together with those of the other servers. */
  readonly pacer: (upstream: string, perSecond: number) => Pacer
  /** Keeps calls within a limit of this name, also together with those of the other servers. */
  readonly limiter: (name: string, limit: SharedLimit) => Limiter
  /** Runs while no other server holds the lock of this name. */
  readonly withLock: <A, E, R, E2>(
    name: string,
    self: Effect.Effect<A, E, R>,
    waiting: Waiting<E2>
  ) => Effect.Effect<A, E | E2, R>
}>("workflow-tool-server/http/Coordination", {
  defaultValue: () => ({
    pacer: (_, perSecond) => makePacer(perSecond),
    limiter: (_, limit) => makeLimiter(limit),
    withLock: (_, self) => self
  })
})
