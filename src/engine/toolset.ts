import { Effect } from "effect"

import type { Offer, Toolset } from "../mcp/Toolset.ts"
import { check } from "./check/check.ts"
import { Instances } from "./client/Instances.ts"
import { engineName } from "./client/naming.ts"
import * as VersionLookup from "./client/versionLookup.ts"
import { makeFigures } from "./figures.ts"
import { prompts } from "./prompts/catalog.ts"
import { laneOf, resources } from "./resources.ts"
import { engineTools } from "./tools/catalog.ts"
import * as EngineTool from "./tools/EngineTool.ts"
import { instanceNames } from "./tools/EngineTool.ts"

const instructions = (instances: string) =>
  `Manages workflows on ${engineName}. ${instances}The tools about workflows, executions, credentials and tags take one of ` +
  "them as `instance`; left out, the default one is meant. Lists hold metadata only; read one workflow or execution for " +
  "the whole, or only some of its `nodes`. Update only what should change: fields that are left out stay."

const everything: Offer<Instances> = { instructions: instructions(""), tools: engineTools, resources, prompts }
const nothing: Offer<Instances> = { instructions: "", tools: [] }

/** The toolset `engine`: 23 tools, the resources and the prompts for workflows on the configured instances. */
export const EngineToolset: Toolset<Instances> = {
  name: "engine",
  ...everything,
  // Without an instance there is nothing to work on.
  narrow: Effect.map(Instances, (instances) =>
    instances.names.length === 0
      ? nothing
      : {
          ...everything,
          instructions: instructions(`Instances: ${instanceNames(instances, 2000)}. `),
          tools: EngineTool.over(engineTools, instances),
          resources: { ...resources, lane: laneOf(instances) }
        }
  ),
  check,
  health: Effect.map(
    VersionLookup.make,
    Effect.map((engineVersion) => ({ engineVersion }))
  ),
  figures: makeFigures
}
