import path from "node:path"

import { Effect, Layer, Schema } from "effect"

import { Entry, PlanConfig, WorkflowJournal, WorkflowPlans } from "../../engine/plans/Plans.ts"
import { PlanFields, PromotionFields } from "../../engine/plans/settings.ts"
import type { Launch } from "../configuration/Launch.ts"
import { persistentFolder, keptNowhere } from "../files/homeFolders.ts"
import { Journals } from "./PlanJournalFile.ts"

/** The plans of workflows as they are configured. */
export const layer = (launch: Launch) => Layer.provideMerge(WorkflowPlans.layer, configured(launch))

const byDefault = Effect.all({
  plans: Schema.decodeUnknownEffect(PlanFields)({}),
  promotion: Schema.decodeUnknownEffect(PromotionFields)({})
})

/**
 * The configuration of plans, and their journal: in a file beside the configuration, except for the embedded engine. If it
 * cannot be stored, plans are lost with the process, and nothing is applied.
 */
const configured = (launch: Launch) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { plans, promotion } = yield* Effect.orDie(byDefault)
      const settings = { plans: launch.plans ?? plans, promotion: launch.promotion ?? promotion }
      const inMemory = (more: { readonly journalProblem?: string } = {}) =>
        Layer.merge(Layer.succeed(PlanConfig, { ...settings, ...more }), WorkflowJournal.layerMemory)
      if (launch.embedded !== undefined) return inMemory()
      const folder = persistentFolder(launch.config)
      if (folder === undefined) return inMemory({ journalProblem: keptNowhere() })
      const file = path.resolve(folder, settings.plans.journal)
      const { make, makeReading } = yield* Journals
      const journal = launch.readOnly ? makeReading(file, Entry) : make(file, Entry)
      return Layer.merge(Layer.succeed(PlanConfig, settings), Layer.effect(WorkflowJournal, journal))
    })
  )
