import { Context, type Duration, type Effect } from "effect"

import * as Pacer from "./Pacer.ts"

/** The time to wait for a lock, and the failure where that was too short, or where nobody can tell who holds it. */
export interface Waiting<E> {
  readonly atMost: Duration.Duration
  readonly busy: (problem?: string) => Effect.Effect<never, E>
}

/** The limits and locks on which all servers of the same upstreams agree. One that is alone has nobody to ask. */
export const Coordination = Context.Reference<{
  /** Paces requests to an upstream, by its base URL, together with those of the other servers. */
  readonly pacer: (upstream: string, perSecond: number) => Pacer.Pacer
  /** Runs while no other server holds the lock of this name. */
  readonly withLock: <A, E, R, E2>(
    name: string,
    self: Effect.Effect<A, E, R>,
    waiting: Waiting<E2>
  ) => Effect.Effect<A, E | E2, R>
}>("workflow-tool-server/http/Coordination", {
  defaultValue: () => ({ pacer: (_, perSecond) => Pacer.make(perSecond), withLock: (_, self) => self })
})
