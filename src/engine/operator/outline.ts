import * as Outline from "../../mcp/Outline.ts"
import { acrossTools, operatorTools } from "./catalog.ts"
import { planTools } from "./plans/planTools.ts"

/** What lists tell of the toolset `operator`. In the bundled command the outlines alone stand here, made when it was bundled. */
export const operatorOutlines = {
  across: Outline.make({ instructions: "", tools: acrossTools }),
  single: Outline.make({ instructions: "", tools: operatorTools }),
  planning: Outline.make({ instructions: "", tools: planTools })
}
