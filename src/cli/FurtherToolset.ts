import type { Effect, Scope } from "effect"

import type { ConfigurationError } from "../internal/config/ConfigurationError.ts"
import type { Tool } from "../mcp/Tool.ts"
import type { Finding } from "./check.ts"
import type { Launch } from "./Launch.ts"

/** A set of tools beside the engine's, off unless asked for. */
export interface FurtherToolset {
  /** What a model should know of these tools together. */
  readonly instructions: string
  /** The tools with everything they need, for as long as the scope lasts. */
  readonly tools: (launch: Launch) => Effect.Effect<ReadonlyArray<Tool>, ConfigurationError, Scope.Scope>
  /** What the command `check` finds out about whatever the tools work on. */
  readonly check: (launch: Launch) => Effect.Effect<ReadonlyArray<Finding>>
}
