import { Context, Effect, Layer, Schema } from "effect"

import { entryOf, inMemory, type Journal } from "../../changes/Journal.ts"
import * as Core from "../../changes/Plans.ts"
import { Instances } from "../client/Instances.ts"
import { type Change, invert } from "./Change.ts"
import * as WorkflowDriver from "./driver.ts"
import type { ChangeError } from "./failures.ts"
import { PlanFields, type PlanSettings, PromotionFields, type PromotionSettings } from "./settings.ts"
import { WrittenChange } from "./WrittenChange.ts"

/** One line of the journal of workflows. */
export const Entry = entryOf(WrittenChange, { workflow: Schema.optionalKey(Schema.String) }, invert)
export type Entry = typeof Entry.Type

/** The journal of workflows: plans, their progress and the audit log, in a list that only grows. */
export class WorkflowJournal extends Context.Service<WorkflowJournal, Journal<Change>>()(
  "workflow-tool-server/engine/WorkflowJournal"
) {
  /** Kept as long as the process runs. */
  static readonly layerMemory = Layer.effect(WorkflowJournal, inMemory<Change>())
}

interface Settings {
  readonly plans: PlanSettings
  readonly promotion: PromotionSettings
  /** The reason for which the journal cannot be written: without it nothing is changed. */
  readonly journalProblem?: string
}

/** The configuration of plans of workflows: their keeping and their guards. */
export class PlanConfig extends Context.Service<PlanConfig, Settings>()("workflow-tool-server/engine/PlanConfig") {
  /** The defaults. */
  static readonly layerDefault = Layer.effect(
    PlanConfig,
    Effect.orDie(
      Effect.all({
        plans: Schema.decodeUnknownEffect(PlanFields)({}),
        promotion: Schema.decodeUnknownEffect(PromotionFields)({})
      })
    )
  )
}

/** Plans of workflows that are kept, applied once, go on after a break, and can be rolled back. */
export class WorkflowPlans extends Context.Service<WorkflowPlans, Core.Plans<Change, ChangeError>>()(
  "workflow-tool-server/engine/WorkflowPlans"
) {
  static readonly layer: Layer.Layer<WorkflowPlans, never, Instances | PlanConfig | WorkflowJournal> = Layer.effect(
    WorkflowPlans,
    Effect.gen(function* () {
      const { journalProblem: problem, plans } = yield* PlanConfig
      const driver = WorkflowDriver.make(yield* Instances, { guards: plans.guards, problem })
      return yield* Core.make({ driver, journal: yield* WorkflowJournal, planMinutes: plans.planMinutes })
    })
  )
}
