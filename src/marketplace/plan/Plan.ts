import { Schema } from "effect"

import type * as Core from "../../changes/Plan.ts"
import type { Change } from "./Change.ts"

export { Blocked, Estimate } from "../../changes/Plan.ts"

/** One change, why it is made, and the changes that revert it. */
export type Step = Core.Step<Change>

export const PlanKind = Schema.Literals([
  "bids",
  "minus-phrases",
  "products",
  "cluster-bids",
  "migration",
  "campaign",
  "rules",
  "state",
  "money",
  "rollback"
])
export type PlanKind = typeof PlanKind.Type

/** The result of a planner: pure data, the same for the same input in any order. Its estimate is for a personal key. */
export interface Draft extends Core.Draft<Change> {
  readonly estimate: Core.Estimate
}

/** A recorded draft. It is immutable and can be applied once. Times are milliseconds since 1970. */
export type Plan = Core.Plan<Change>

/** The migration of campaigns from type 8 to type 9. */
export interface MigrationPlan extends Draft {
  readonly kind: "migration"
}
