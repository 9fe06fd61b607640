import { Effect } from "effect"

import type { PlanError } from "../../changes/PlanError.ts"
import * as PlanSource from "../../changes/tools/PlanSource.ts"
import { renderPlanError } from "../../changes/tools/renderPlanError.ts"
import { AppViews } from "../../mcp/AppViews.ts"
import type { ToolError } from "../../mcp/ToolError.ts"
import type { Toolset } from "../../mcp/Toolset.ts"
import { Instances } from "../client/Instances.ts"
import { withPlanning } from "../operator/offer.ts"
import { toToolError } from "../tools/errors.ts"
import type { ChangeError } from "./failures.ts"
import { type PlanConfig, WorkflowPlans } from "./Plans.ts"
import { planTools } from "./planTools.ts"

/** A toolset over instances with the tools that plan changes of their workflows. */
export const withPlans = (toolset: Toolset<Instances>): Toolset<Instances | PlanConfig | WorkflowPlans> => ({
  ...toolset,
  tools: [...toolset.tools, ...planTools],
  narrow: Effect.gen(function* () {
    const offer = toolset.narrow === undefined ? toolset : yield* toolset.narrow
    return withPlanning<Instances, Instances | PlanConfig | WorkflowPlans>(
      offer,
      planTools,
      yield* Instances,
      yield* AppViews
    )
  })
})

/** An error of plans of workflows as a tool's error. */
export const toPlanFailure = (error: ChangeError | PlanError): ToolError => {
  switch (error._tag) {
    case "ApplyStopped":
    case "GuardViolation":
    case "JournalFailed":
    case "NotAgreed":
    case "NothingToRollBack":
    case "PlanExpired":
    case "PlanNotFound":
    case "PlanSpent":
      return renderPlanError(error)
    default:
      return toToolError(error)
  }
}

/** The plans of workflows, for the tools that show, apply and roll back plans of any upstream. */
export const workflowPlans = Effect.map(WorkflowPlans, (plans) => PlanSource.make(plans, toPlanFailure))
