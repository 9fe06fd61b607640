import { type Context, Effect, Latch, type Scope } from "effect"

import type { PlanSource } from "../../changes/tools/PlanSource.ts"
import type { InstanceNames } from "../../engine/client/config/EngineConfig.ts"
import type { Instances } from "../../engine/client/Instances.ts"
import type { PlanConfig, WorkflowPlans } from "../../engine/plans/Plans.ts"
import type { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { cachedSuccess } from "../../internal/effects.ts"
import * as Outline from "../../mcp/Outline.ts"
import type { Offer, Toolset } from "../../mcp/Toolset.ts"
import type { Launch } from "../configuration/Launch.ts"

/** The plans of a toolset. */
export interface Plans {
  /** Whether changes are allowed now; known before the plans are. */
  readonly isWritable: PlanSource["isWritable"]
  readonly source: Effect.Effect<PlanSource>
}

/** A toolset with everything it needs, and its plans, if it makes any. */
export interface Loaded {
  readonly toolset: Toolset
  readonly plans?: Plans | ReadonlyArray<Plans>
  /** Loads what was deferred; done when there is time for it, or when it is needed. */
  readonly later?: Effect.Effect<unknown>
}

/** Services of several toolsets, built when the first of them needs one. */
export interface Shared {
  readonly instances: Effect.Effect<Context.Context<Instances>, ConfigurationError>
  /** Plans of workflows over these instances, in one journal. */
  readonly plans: Effect.Effect<Context.Context<Instances | PlanConfig | WorkflowPlans>, ConfigurationError>
  /** Tells what every instance is known to refuse: nothing before they are connected. */
  readonly refusing: NonNullable<InstanceNames["refusing"]>
  /** Whether lists are expected before calls: then loading what only calls need is deferred. */
  readonly areListsFirst: boolean
}

/** Loads a toolset for as long as the scope lasts. */
export type Load = (launch: Launch, shared: Shared) => Effect.Effect<Loaded, ConfigurationError, Scope.Scope>

/**
 * A toolset that is listed from outlines. Its programs are loaded once its lists were sent, by the first call, or where neither
 * comes, soon. `offer` makes what is offered of outlines.
 */
export const outlined = Effect.fnUntraced(function* <A extends { readonly toolset: Toolset }, R>(
  name: string,
  programs: Effect.Effect<A, never, R>,
  offer: (toOffer: (outline: Outline.Outline) => Offer) => Offer
) {
  const isListed = Latch.makeUnsafe()
  const loaded = yield* cachedSuccess(programs)
  const offerOfPrograms = Effect.map(loaded, ({ toolset }) => toolset)
  const toolset: Toolset = {
    name,
    ...offer((outline) => Outline.toOffer(outline, offerOfPrograms, () => isListed.openUnsafe()))
  }
  const later = Effect.raceFirst(isListed.await, Effect.sleep(timeToList)).pipe(
    Effect.andThen(Effect.sleep(timeToAnswer)),
    Effect.andThen(loaded)
  )
  return { toolset, loaded, later }
})

/** Time for sending an answer that is ready, which work would delay. A call that comes sooner does not wait for it. */
const timeToAnswer = "10 millis"

/** A client that lists tools does so at once; what a killed process has left is seen to without a client that asks, too. */
const timeToList = "1 second"
