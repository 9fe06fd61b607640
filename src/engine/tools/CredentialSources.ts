import { Context, type Effect } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { ToolError } from "../../mcp/ToolError.ts"

type Sources = Readonly<Record<string, Effect.Effect<JsonObject, ToolError>>>

/** The configured places outside of the conversation from which values of credentials come, by the names that models use. */
export const CredentialSources = Context.Reference<Sources>("workflow-tool-server/engine/CredentialSources", {
  defaultValue: () => ({})
})
