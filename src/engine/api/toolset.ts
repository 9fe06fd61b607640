import { Effect } from "effect"

import { masking } from "../../mcp/masking.ts"
import type { Offer, Toolset } from "../../mcp/Toolset.ts"
import { Instances } from "../client/Instances.ts"
import { over } from "../tools/overInstances.ts"
import { foreignTexts } from "../workflow/naming.ts"
import { callEngine } from "./callEngine.ts"
import { findCall } from "./findCall.ts"
import { readDataTable } from "./readDataTable.ts"

const everything: Offer<Instances> = {
  instructions:
    "The toolset api finds and makes the other calls of the engine's API: projects, variables, users; and it reads and changes data tables.",
  data: foreignTexts,
  tools: [findCall, callEngine, masking(readDataTable)].map((tool) => ({ ...tool, isBrief: true as const }))
}

/** The toolset `api`: the reading calls of an engine's API that no other tool makes, as the engine itself describes them. */
export const ApiToolset: Toolset<Instances> = {
  name: "api",
  ...everything,
  narrow: Effect.map(Instances, (instances) =>
    instances.names.length === 0
      ? { instructions: "", tools: [] }
      : { ...everything, tools: over(everything.tools, instances) }
  )
}
