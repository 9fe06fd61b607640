import { Context, Effect, Layer } from "effect"

import { PlanSources } from "../../changes/tools/PlanSource.ts"
import { ChangesToolset } from "../../changes/toolset.ts"
import { ApiToolset } from "../../engine/api/toolset.ts"
import type { Instances } from "../../engine/client/Instances.ts"
import { OperatorToolset } from "../../engine/operator/toolset.ts"
import { withCallPlans, workflowPlans, withPlans } from "../../engine/plans/toolset.ts"
import { AppViews } from "../../mcp/AppViews.ts"
import * as Toolset from "../../mcp/Toolset.ts"
import type { Launch } from "../configuration/Launch.ts"
import { withFolders } from "../engine/toolFolders.ts"
import { readView } from "../http/pageFiles.ts"
import * as WorkflowPlans from "../plans/workflowPlans.ts"
import type { Plans, Shared } from "./Load.ts"

/** Plans of workflows of these instances, in their own file. */
export const plansOver = (launch: Launch, engines: Context.Context<Instances>) =>
  Effect.map(Effect.provideContext(Layer.build(WorkflowPlans.layer(launch)), engines), (plans) =>
    Context.merge(engines, plans)
  )

/** The toolset `api` over the same instances and plans. */
export const api = (launch: Launch, { plans }: Pick<Shared, "plans">) =>
  Effect.gen(function* () {
    const context = yield* plans
    const source = yield* Effect.provideContext(workflowPlans, context)
    const toolset = Toolset.provide(withCallPlans(ApiToolset), context)
    // The plans are the same as those of the toolset operator.
    return launch.toolsets.includes("operator")
      ? { toolset }
      : { toolset, plans: { isWritable: source.isWritable, source: Effect.succeed(source) } }
  })

/** The toolset `operator` over the instances of the toolset `engine`, with plans in their own file. */
export const operator = (launch: Launch, { plans }: Pick<Shared, "plans">) =>
  Effect.gen(function* () {
    const context = yield* withFolders(launch, Context.add(yield* plans, AppViews, readView))
    const source = yield* Effect.provideContext(workflowPlans, context)
    return {
      toolset: Toolset.provide(withPlans(OperatorToolset), context),
      plans: { isWritable: source.isWritable, source: Effect.succeed(source) }
    }
  })

/** The tools for plans of all toolsets that make some. */
export const changes = (plans: ReadonlyArray<Plans>) =>
  Effect.map(Effect.all(plans.map(({ source }) => source)), (sources) => ({
    toolset: Toolset.provide(ChangesToolset, Context.make(PlanSources, sources))
  }))
