import type { Context, Effect, Scope } from "effect"

import type { PlanSource } from "../../changes/tools/PlanSource.ts"
import type { Instances } from "../../engine/client/Instances.ts"
import type { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import type { Toolset } from "../../mcp/Toolset.ts"
import type { Launch } from "../configuration/Launch.ts"

/** The plans that a toolset makes. */
export interface Plans {
  /** Whether something may be changed now; known before the plans are. */
  readonly isWritable: PlanSource["isWritable"]
  readonly source: Effect.Effect<PlanSource>
}

/** A toolset with everything it needs, and the plans that it makes, if it makes any. */
export interface Loaded {
  readonly toolset: Toolset
  readonly plans?: Plans
  /** Loads what was left for later; done when there is time for it, or when it is needed. */
  readonly later?: Effect.Effect<unknown>
  /** Ends once it was called so often that it will be called often. */
  readonly busy?: Effect.Effect<void>
}

/** What several toolsets work on, built when the first of them asks for it. */
export interface Shared {
  readonly instances: Effect.Effect<Context.Context<Instances>, ConfigurationError>
  /** Whether somebody waits for lists, and calls come later: then what only calls need is left for later. */
  readonly areListsFirst: boolean
}

/** Loads a toolset for as long as the scope lasts. */
export type Load = (launch: Launch, shared: Shared) => Effect.Effect<Loaded, ConfigurationError, Scope.Scope>
