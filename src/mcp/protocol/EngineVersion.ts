import { Context, Effect } from "effect"

/** The version of the default engine as far as it is known by now; never waits for it. */
export const EngineVersion = Context.Reference<Effect.Effect<string>>("workflow-tool-server/protocol/EngineVersion", {
  defaultValue: () => Effect.succeed("unknown")
})
