import { Context, Effect, Layer } from "effect"

import { workflowPlans, withPlans } from "../engine/operator/plans/toolset.ts"
import { TwinJournal } from "../engine/operator/run/TwinJournal.ts"
import { OperatorToolset } from "../engine/operator/toolset.ts"
import { AppViews } from "../mcp/AppViews.ts"
import * as Toolset from "../mcp/Toolset.ts"
import type { Load } from "./Load.ts"
import { readView } from "./pageFiles.ts"
import { eraseNoted, twinFiles, twinFolder } from "./twinFiles.ts"
import * as WorkflowPlans from "./workflowPlans.ts"

/**
 * The toolset `operator` over the instances that the toolset `engine` works on, with plans in a file of their own. What a
 * killed process has left of its runs is deleted meanwhile.
 */
export const load: Load = (launch, { instances }) =>
  Effect.gen(function* () {
    const engines = yield* instances
    const plans = yield* Effect.provideContext(Layer.build(WorkflowPlans.layer(launch)), engines)
    const folder = twinFolder(launch)
    if (folder !== undefined) yield* Effect.forkScoped(Effect.provideContext(eraseNoted(folder), engines))
    const merged = Context.add(Context.merge(engines, plans), AppViews, readView)
    const context = folder === undefined ? merged : Context.add(merged, TwinJournal, twinFiles(folder))
    return {
      toolset: Toolset.provide(withPlans(OperatorToolset), context),
      plans: yield* Effect.provideContext(workflowPlans, context)
    }
  })
