import { Effect } from "effect"

import type { Offer, Toolset } from "../../mcp/Toolset.ts"
import { Instances } from "../client/Instances.ts"
import * as VersionLookup from "../client/versionLookup.ts"
import { engineTools } from "../tools/catalog.ts"
import { foreignTexts } from "../workflow/naming.ts"
import { check } from "./check/check.ts"
import { makeExecutionGauges } from "./executionGauges.ts"
import { instructions, offerOver } from "./offer.ts"
import { prompts } from "./prompts/catalog.ts"
import { resources } from "./resources.ts"

const everything: Offer<Instances> = {
  instructions: instructions(""),
  data: foreignTexts,
  tools: engineTools,
  resources,
  prompts
}

/** The toolset `engine`: 23 tools, the resources and the prompts for workflows on the configured instances. */
export const EngineToolset: Toolset<Instances> = {
  name: "engine",
  ...everything,
  narrow: Effect.map(Instances, (instances) => offerOver(everything, instances)),
  check,
  health: Effect.map(
    VersionLookup.make,
    Effect.map((engineVersion) => ({ engineVersion }))
  ),
  gauges: makeExecutionGauges
}
