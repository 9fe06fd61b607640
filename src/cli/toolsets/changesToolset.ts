import { Context, Effect } from "effect"

import { PlanSources } from "../../changes/tools/PlanSource.ts"
import { ChangesToolset } from "../../changes/toolset.ts"
import * as Toolset from "../../mcp/Toolset.ts"
import type { Plans } from "./Load.ts"

/** The tools for plans of all toolsets that make some. */
export const load = (plans: ReadonlyArray<Plans>) =>
  Effect.map(Effect.all(plans.map(({ source }) => source)), (sources) => ({
    toolset: Toolset.provide(ChangesToolset, Context.make(PlanSources, sources))
  }))
