import { Context, Effect, Layer } from "effect"

import { PlanSources } from "../../changes/tools/PlanSource.ts"
import { ChangesToolset } from "../../changes/toolset.ts"
import { OperatorToolset } from "../../engine/operator/toolset.ts"
import { workflowPlans, withPlans } from "../../engine/plans/toolset.ts"
import { AppViews } from "../../mcp/AppViews.ts"
import * as Toolset from "../../mcp/Toolset.ts"
import type { Launch } from "../configuration/Launch.ts"
import { withFolders } from "../engine/toolFolders.ts"
import { readView } from "../http/pageFiles.ts"
import * as WorkflowPlans from "../plans/workflowPlans.ts"
import type { Plans, Shared } from "./Load.ts"

/** The toolset `operator` over the instances of the toolset `engine`, with plans in their own file. */
export const operator = (launch: Launch, { instances }: Pick<Shared, "instances">) =>
  Effect.gen(function* () {
    const engines = yield* instances
    const plans = yield* Effect.provideContext(Layer.build(WorkflowPlans.layer(launch)), engines)
    const context = yield* withFolders(launch, Context.add(Context.merge(engines, plans), AppViews, readView))
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
