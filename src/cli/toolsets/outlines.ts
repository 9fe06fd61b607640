import { ChangesToolset } from "../../changes/toolset.ts"
import { acrossTools, operatorTools } from "../../engine/operator/catalog.ts"
import { planTools } from "../../engine/plans/planTools.ts"
import { EngineToolset } from "../../engine/toolset/toolset.ts"
import * as Outline from "../../mcp/Outline.ts"

/**
 * The outlines of toolsets whose programs are loaded after their lists. In the bundled command the values alone stand here, made
 * when it was bundled.
 */
export const outlines = {
  engine: Outline.make(EngineToolset),
  operator: {
    across: Outline.make({ instructions: "", tools: acrossTools }),
    single: Outline.make({ instructions: "", tools: operatorTools }),
    planning: Outline.make({ instructions: "", tools: planTools })
  },
  changes: Outline.make(ChangesToolset)
}
