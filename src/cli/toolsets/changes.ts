import { Context } from "effect"

import { type PlanSource, PlanSources } from "../../changes/tools/PlanSource.ts"
import { ChangesToolset } from "../../changes/toolset.ts"
import * as Toolset from "../../mcp/Toolset.ts"

/** The tools of plans over everything that makes plans. */
export const planTools = (sources: ReadonlyArray<PlanSource>) =>
  Toolset.provide(ChangesToolset, Context.make(PlanSources, sources))
