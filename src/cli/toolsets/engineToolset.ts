import { Effect } from "effect"

import { EngineToolset } from "../../engine/toolset/toolset.ts"
import * as Toolset from "../../mcp/Toolset.ts"
import type { Load } from "./Load.ts"

/** The toolset `engine` over the configured instances, or the embedded one. */
export const load: Load = (_, { instances }) =>
  Effect.map(instances, (context) => ({ toolset: Toolset.provide(EngineToolset, context) }))
