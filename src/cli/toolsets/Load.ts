import type { Context, Effect, Scope } from "effect"

import type { PlanSource } from "../../changes/tools/PlanSource.ts"
import type { Instances } from "../../engine/client/Instances.ts"
import type { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import type { Toolset } from "../../mcp/Toolset.ts"
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
  readonly plans?: Plans
  /** Loads what was deferred; done when there is time for it, or when it is needed. */
  readonly later?: Effect.Effect<unknown>
}

/** What several toolsets share, built when the first of them needs it. */
export interface Shared {
  readonly instances: Effect.Effect<Context.Context<Instances>, ConfigurationError>
  /** Whether lists are expected before calls: then loading what only calls need is deferred. */
  readonly areListsFirst: boolean
}

/** Loads a toolset for as long as the scope lasts. */
export type Load = (launch: Launch, shared: Shared) => Effect.Effect<Loaded, ConfigurationError, Scope.Scope>
