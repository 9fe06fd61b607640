import { Context, type Effect } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { ToolError } from "../../mcp/ToolError.ts"

export interface CredentialSource {
  /** The things whose values these may become: a run can print variables, and the engine shows them to all who may read them. */
  readonly use: "credentials" | "variables"
  readonly values: Effect.Effect<JsonObject, ToolError>
}

/** The configured places outside of the conversation from which secret values come, by the names that models use. */
export const CredentialSources = Context.Reference<Readonly<Record<string, CredentialSource>>>(
  "workflow-tool-server/engine/CredentialSources",
  {
    defaultValue: () => ({})
  }
)
