import { Context, type Duration, Effect, Semaphore } from "effect"

import { monotonicMillis } from "../time.ts"

/** A request without an answer counts as having left after this many milliseconds at the latest. */
const longestDeparture = 1000

/**
 * One request. It leaves some time between `begun` and `ended`, when its answer begins or it is over: a connection may
 * have to be made first.
 */
interface Departure {
  readonly begun: number
  ended: number | undefined
}

export interface Pacer {
  /** Runs a request at its turn. It must end when its answer begins. */
  readonly run: <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * Lets no second see more than `perSecond` requests leave; inside that, nobody waits. Callers go in the order of arrival;
 * one that gives up while waiting leaves its moment to the next. A rate below one stretches the second instead.
 */
export const makePacer = (perSecond: number): Pacer => {
  if (perSecond === Infinity) return { run: (request) => request }
  const places = Math.max(1, Math.floor(perSecond))
  const window = (places * 1000) / perSecond
  const recent = new Set<Departure>()
  const line = Semaphore.makeUnsafe(1)

  /** The earliest moment at which a departure can no longer be in the same window as a new one, as far as known now. */
  const overAt = ({ begun, ended }: Departure, now: number) =>
    Math.min(ended ?? Math.max(now, begun), begun + longestDeparture) + window

  /** Takes a place that is free now, if there is one. */
  const take = (now: number): Departure | undefined => {
    if (recent.size >= places) {
      for (const departure of recent) if (overAt(departure, now) <= now) recent.delete(departure)
    }
    if (recent.size >= places) return undefined
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
    while (true) {
      const now = yield* monotonicMillis
      const departure = take(now)
      if (departure !== undefined) return departure
      const next = Math.min(...[...recent].map((departure) => overAt(departure, now)))
      yield* Effect.sleep(Math.ceil(next - now))
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

  return { run: (request) => Effect.flatMap(turn, (departure) => Effect.ensuring(request, end(departure))) }
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

/** The limits and locks on which all servers of the same upstreams agree. One that is alone has nobody to ask. */
export const Coordination = Context.Reference<{
  /** Paces requests to an upstream, by its base URL, together with those of the other servers. */
  readonly pacer: (upstream: string, perSecond: number) => Pacer
  /** Keeps calls within a limit of this name, together with those of the other servers. */
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
    limiter: () => ({ run: (call) => call, pause: () => Effect.void }),
    withLock: (_, self) => self
  })
})
