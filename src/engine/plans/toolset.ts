import { Effect, Option } from "effect"

import { type PlanState, recordOf } from "../../changes/PlanState.ts"
import * as PlanSource from "../../changes/tools/PlanSource.ts"
import { AppViews } from "../../mcp/AppViews.ts"
import type { Toolset } from "../../mcp/Toolset.ts"
import { Instances } from "../client/Instances.ts"
import { withPlanning } from "../operator/offer.ts"
import { WorkflowId } from "../workflow/models.ts"
import { planEngineCall } from "./call/planCall.ts"
import type { Change } from "./Change.ts"
import { credentialsOf } from "./describe.ts"
import { toPlanFailure } from "./failures.ts"
import { type PlanConfig, WorkflowPlans } from "./Plans.ts"
import { planTools } from "./planTools.ts"
import { retryReport } from "./retry/retryReport.ts"
import { changeDataTable } from "./tables/planTable.ts"

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

/** The tools that plan what no other tool does: calls of the engine's API, and changes of data tables. */
export const callPlanTools = [planEngineCall, changeDataTable].map((tool) => ({ ...tool, isBrief: true as const }))

/** A toolset over instances with the tools that plan calls of the engine's API. */
export const withCallPlans = (toolset: Toolset<Instances>): Toolset<Instances | WorkflowPlans> => ({
  ...toolset,
  tools: [...toolset.tools, ...callPlanTools],
  narrow: Effect.gen(function* () {
    const offer = toolset.narrow === undefined ? toolset : yield* toolset.narrow
    return withPlanning<Instances, Instances | WorkflowPlans>(offer, callPlanTools, yield* Instances, undefined)
  })
})

/** The plans of workflows, for the tools that show, apply and roll back plans of any upstream. */
export const workflowPlans = Effect.gen(function* () {
  const instances = yield* Instances
  return PlanSource.make(yield* WorkflowPlans, toPlanFailure, (state) => finalStates(instances, state))
})

/** Workflows that are read after a plan. */
const mostRead = 10

/** The workflows that a plan has touched, as they are now: their state, tags and credentials. */
const finalStates = Effect.fnUntraced(function* (instances: Instances["Service"], state: PlanState<Change>) {
  if (state.plan.kind === "retry") return yield* retryReport(instances, state)
  const touched = new Map(
    state.plan.steps.flatMap(({ change, id }) => {
      const { created, doneAt } = recordOf(state, id)
      const workflow = change.kind === "create" ? created : "workflow" in change ? change.workflow : undefined
      return doneAt === undefined || typeof workflow !== "string" || change.kind === "delete-execution"
        ? []
        : [[`${change.instance} ${workflow}`, { instance: change.instance, id: WorkflowId.make(workflow) }]]
    })
  )
  const isPromotion = state.plan.kind === "promotion"
  const rows = yield* Effect.forEach(
    [...touched.values()].slice(0, mostRead),
    ({ id, instance }) =>
      Effect.flatMap(instances.resolve(instance), ({ getWorkflow }) => getWorkflow(id)).pipe(
        Effect.map(({ active, isArchived, name, nodes, tags = [] }) => {
          const source = isPromotion ? instance : undefined
          const credentials = [...new Set(nodes.flatMap((node) => credentialsOf(node, source)))]
          return {
            id,
            name,
            instance,
            active,
            ...(isArchived === true ? { isArchived } : {}),
            ...(tags.length === 0 ? {} : { tags: tags.map((tag) => tag.name) }),
            ...(credentials.length === 0 ? {} : { credentials })
          }
        }),
        Effect.option
      ),
    { concurrency: 4 }
  )
  const workflows = rows.flatMap(Option.toArray)
  return workflows.length === 0
    ? {}
    : { workflows, ...(touched.size > mostRead ? { workflows_more: touched.size - mostRead } : {}) }
})
