import { Effect } from "effect"

import { AppViews } from "../../mcp/AppViews.ts"
import type { Toolset } from "../../mcp/Toolset.ts"
import { Instances } from "../client/Instances.ts"
import { foreignTexts } from "../workflow/naming.ts"
import { acrossTools, operatorTools } from "./catalog.ts"
import { instructions, offerOver } from "./offer.ts"
import { skills } from "./skills.ts"

/** The toolset `operator`: everyday work on workflows in few and small calls, beside the toolset `engine`. */
export const OperatorToolset: Toolset<Instances> = {
  name: "operator",
  instructions,
  data: foreignTexts,
  skills,
  tools: [...acrossTools, ...operatorTools],
  narrow: Effect.gen(function* () {
    return offerOver({ across: acrossTools, single: operatorTools }, yield* Instances, yield* AppViews)
  })
}
