import path from "node:path"

import { Effect, Layer, Schema } from "effect"

import { Entry, PlanConfig, WorkflowJournal, WorkflowPlans } from "../../engine/changes/Plans.ts"
import { PlanFields, PromotionFields } from "../../engine/changes/settings.ts"
import type { Launch } from "../configuration/Launch.ts"
import { keepingFolder } from "../files/keepingFolder.ts"
import { Journals } from "./journals.ts"

/** The plans of workflows as they are configured. */
export const layer = (launch: Launch) => Layer.provideMerge(WorkflowPlans.layer, configured(launch))

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
      const file = path.resolve(keepingFolder(launch.config), settings.plans.journal)
      const { make, makeReading } = yield* Journals
      const journal = launch.readOnly ? makeReading(file, Entry) : make(file, Entry)
      return Layer.merge(
        Layer.succeed(PlanConfig, settings),
        launch.embedded === undefined ? Layer.effect(WorkflowJournal, journal) : WorkflowJournal.layerMemory
      )
    })
  )
