import { Effect } from "effect"

import { OperatorToolset } from "../engine/operator/toolset.ts"
import * as Toolset from "../mcp/Toolset.ts"
import type { Load } from "./Load.ts"

/** The toolset `operator` over the instances that the toolset `engine` works on. */
export const load: Load = (_, { instances }) =>
  Effect.map(instances, (context) => ({ toolset: Toolset.provide(OperatorToolset, context) }))
