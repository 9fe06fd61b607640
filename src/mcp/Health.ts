import { Context, Effect } from "effect"

/** What `GET /health` tells beside the server's own state and version: as far as it is known by now, never waited for. */
export const HealthFacts = Context.Reference<Effect.Effect<Readonly<Record<string, string>>>>(
  "workflow-tool-server/mcp/HealthFacts",
  { defaultValue: () => Effect.succeed({}) }
)
