import path from "node:path"

import { Context, Effect, Layer, Schema } from "effect"

import { Entry, PlanConfig, WorkflowJournal, WorkflowPlans } from "../engine/changes/Plans.ts"
import { PlanFields, PromotionFields } from "../engine/changes/settings.ts"
import { workflowPlans, withPlans } from "../engine/operator/plans/toolset.ts"
import { OperatorToolset } from "../engine/operator/toolset.ts"
import * as Toolset from "../mcp/Toolset.ts"
import type { Launch } from "./Launch.ts"
import type { Load } from "./Load.ts"
import * as PlanJournalFile from "./PlanJournalFile.ts"

/** The toolset `operator` over the instances that the toolset `engine` works on, with plans in a file of their own. */
export const load: Load = (launch, { instances }) =>
  Effect.gen(function* () {
    const engines = yield* instances
    const plans = yield* Layer.build(Layer.provideMerge(WorkflowPlans.layer, configured(launch))).pipe(
      Effect.provideContext(engines)
    )
    const context = Context.merge(engines, plans)
    return {
      toolset: Toolset.provide(withPlans(OperatorToolset), context),
      plans: yield* Effect.provideContext(workflowPlans, context)
    }
  })

const byDefault = Effect.all({
  plans: Schema.decodeUnknownEffect(PlanFields)({}),
  promotion: Schema.decodeUnknownEffect(PromotionFields)({})
})

/** What is configured of plans, and their journal: in a file beside the configuration, but for the embedded engine's. */
const configured = (launch: Launch) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { plans, promotion } = yield* Effect.orDie(byDefault)
      const settings = { plans: launch.plans ?? plans, promotion: launch.promotion ?? promotion }
      const file = path.resolve(path.dirname(launch.config ?? ""), settings.plans.journal)
      const journal = launch.readOnly ? PlanJournalFile.makeReading(file, Entry) : PlanJournalFile.make(file, Entry)
      return Layer.merge(
        Layer.succeed(PlanConfig, settings),
        launch.embedded === undefined ? Layer.effect(WorkflowJournal, journal) : WorkflowJournal.layerMemory
      )
    })
  )
