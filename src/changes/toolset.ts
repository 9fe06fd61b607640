import { Effect } from "effect"

import type { Tool } from "../mcp/Tool.ts"
import type { Offer, Toolset } from "../mcp/Toolset.ts"
import { PlanSources } from "./tools/PlanSource.ts"
import { applyPlan, auditLog, planRollback, showPlan } from "./tools/tools.ts"

const reading: ReadonlyArray<Tool<PlanSources>> = [showPlan, planRollback, auditLog]

const instructions =
  "A plan changes nothing until a person has agreed and apply_plan applies it; plan_rollback plans the way back."

/** The tools of plans, offered once, whichever toolsets make plans. Nothing is applied where no upstream may be changed. */
export const ChangesToolset: Toolset<PlanSources> = {
  name: "changes",
  instructions,
  tools: [...reading, applyPlan],
  narrow: Effect.gen(function* () {
    const writable = yield* Effect.filter(yield* PlanSources, ({ isWritable }) => isWritable)
    const tools = writable.length === 0 ? reading : [...reading, applyPlan]
    return { instructions, tools } satisfies Offer<PlanSources>
  })
}
