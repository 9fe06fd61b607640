import { Effect } from "effect"

import { masking } from "../mcp/masking.ts"
import * as Tool from "../mcp/Tool.ts"
import type { Offer, Toolset } from "../mcp/Toolset.ts"
import { offerFor } from "./offer.ts"
import { PlanSources } from "./tools/PlanSource.ts"
import { applyPlan, auditLog, planRollback, showPlan } from "./tools/planTools.ts"

const instructions =
  "A plan changes nothing until a person has agreed and apply_plan applies it; plan_rollback plans the rollback."

const everything: Offer<PlanSources> = {
  instructions,
  tools: [showPlan, planRollback, auditLog, applyPlan].map((tool) => masking(Tool.lean(tool)))
}

/** The tools of plans, offered once, whichever toolsets make plans. */
export const ChangesToolset: Toolset<PlanSources> = {
  name: "changes",
  ...everything,
  narrow: Effect.gen(function* () {
    const writable = yield* Effect.filter(yield* PlanSources, ({ isWritable }) => isWritable)
    return offerFor(everything, writable.length > 0)
  })
}
