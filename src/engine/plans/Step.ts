import { Schema } from "effect"

import type * as Core from "../../changes/Plan.ts"
import { JsonObject } from "../../internal/schema/JsonObject.ts"
import { type Change, idOf } from "./Change.ts"
import { invert } from "./invert.ts"

/** A draft of changes of workflows. */
export type Draft = Core.Draft<Change>

/** One change of workflows in a plan. */
export type Step = Core.Step<Change>

/** The state before or after a step, as answers show it. */
export const place = Schema.Union([Schema.Null, Schema.String, JsonObject])

/** A step for a change, with what undoes it. */
export const stepOf = (change: Change, reason: string): Step => ({
  id: idOf(change),
  change,
  reason,
  undo: invert(change)
})

/** The step with the tags that its workflow has, for the guards. */
export const withLabels = (step: Step, labels: ReadonlyArray<string> | undefined): Step => {
  const labelled = (change: Change): Change =>
    labels === undefined || !("workflow" in change || change.kind === "create") || change.kind === "delete-execution"
      ? change
      : { ...change, labels }
  return { ...step, change: labelled(step.change), undo: step.undo.map(labelled) }
}
