import { Effect, Layer } from "effect"

import { Instances } from "../engine/client/Instances.ts"
import { EngineToolset } from "../engine/toolset.ts"
import * as Toolset from "../mcp/Toolset.ts"
import type { Launch } from "./Launch.ts"
import { upstreams } from "./upstreams.ts"

/** The toolset `engine` over the configured instances, or the embedded one. */
export const load = (launch: Launch) =>
  Effect.map(Layer.build(Layer.provide(Instances.layer, upstreams(launch))), (context) => ({
    toolset: Toolset.provide(EngineToolset, context)
  }))
