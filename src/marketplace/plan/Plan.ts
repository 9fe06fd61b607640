import { Schema } from "effect"

import { BidUnit } from "../client/Bids.ts"
import { Change } from "./Change.ts"

/** One change, why it is made, and the changes that lead back from it. */
export const Step = Schema.Struct({
  id: Schema.String,
  change: Change,
  reason: Schema.String,
  undo: Schema.Array(Change)
})
export type Step = typeof Step.Type

/** Something that was asked for and is not in the plan. */
export const Blocked = Schema.Struct({
  what: Schema.String,
  reason: Schema.String,
  /** Whether it may be possible later, when the same is planned again. */
  later: Schema.optionalKey(Schema.Boolean)
})
export type Blocked = typeof Blocked.Type

/** What an apply costs under the limits. */
export const Estimate = Schema.Struct({ calls: Schema.Int, seconds: Schema.Int })
export type Estimate = typeof Estimate.Type

export const PlanKind = Schema.Literals([
  "bids",
  "minus-phrases",
  "products",
  "cluster-bids",
  "migration",
  "campaign",
  "rollback"
])
export type PlanKind = typeof PlanKind.Type

/** What a planner works out: pure data, the same for the same input in any order. */
export const Draft = Schema.Struct({
  kind: PlanKind,
  steps: Schema.Array(Step),
  warnings: Schema.Array(Schema.String),
  blocked: Schema.Array(Blocked),
  /** The unit of cluster bids that the marketplace's own answers proved when the plan was made (D2). */
  provenUnit: Schema.optionalKey(BidUnit),
  /** With the limits of a personal key; a plan that is kept knows those of its own key. */
  estimate: Estimate
})
export type Draft = typeof Draft.Type

/** A draft that is kept, never changed, and can be applied once. Moments are milliseconds since 1970. */
export const Plan = Schema.Struct({
  id: Schema.String,
  ...Draft.fields,
  createdAt: Schema.Int,
  expiresAt: Schema.Int,
  /** The plan that this one takes back. */
  reverses: Schema.optionalKey(Schema.String)
})
export type Plan = typeof Plan.Type

/** The move of campaigns from type 8 to type 9. */
export interface MigrationPlan extends Draft {
  readonly kind: "migration"
}
