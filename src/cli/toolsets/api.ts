import { Effect } from "effect"

import { ApiToolset } from "../../engine/api/toolset.ts"
import * as Toolset from "../../mcp/Toolset.ts"
import type { Load } from "./Load.ts"

/** The toolset `api` over the instances of the toolset `engine`. */
export const load: Load = (_, { instances }) =>
  Effect.map(instances, (context) => ({ toolset: Toolset.provide(ApiToolset, context) }))
