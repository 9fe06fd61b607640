import { Schema, SchemaTransformation } from "effect"

import { isSameJson } from "../internal/json/digest.ts"
import { isJsonObject } from "../internal/schema/JsonObject.ts"

/** One change, why it is made, and the changes that undo it. `C` is whatever an upstream calls a change. */
export interface Step<C> {
  /** The subject of the change, as one text: no two steps of a plan share it. */
  readonly id: string
  readonly change: C
  readonly reason: string
  readonly undo: ReadonlyArray<C>
}

/** Something that was asked for but is not in the plan. */
export const Blocked = Schema.Struct({
  what: Schema.String,
  reason: Schema.String,
  /** Whether it may be possible later, when the same is planned again. */
  later: Schema.optionalKey(Schema.Boolean)
})
export type Blocked = typeof Blocked.Type

/** The cost of an apply under the upstream's limits. */
export const Estimate = Schema.Struct({ calls: Schema.Int, seconds: Schema.Int })
export type Estimate = typeof Estimate.Type

/** The result of a planner: pure data, the same for the same input in any order. */
export interface Draft<C> {
  /** The planner's word for what is planned, such as `rollback`; the ids of plans begin with it. */
  readonly kind: string
  /** In the order in which they are applied. */
  readonly steps: ReadonlyArray<Step<C>>
  readonly warnings: ReadonlyArray<string>
  readonly blocked: ReadonlyArray<Blocked>
  /** The facts that the planner took for certain when the plan was made, in the upstream's terms. */
  readonly premise?: unknown
}

/** A draft that was recorded. It never changes and can be applied once. Times are milliseconds since 1970. */
export interface Plan<C> extends Draft<C> {
  readonly id: string
  readonly estimate: Estimate
  readonly createdAt: number
  /** It cannot be begun after this time. */
  readonly expiresAt: number
  /** The plan that this one rolls back. */
  readonly reverses?: string
  /** The number of entries that the progress of that plan had when this one was made. */
  readonly reversedProgress?: number
}

const stepOf = <C>(change: Schema.Codec<C, unknown>) =>
  Schema.Struct({ id: Schema.String, change, reason: Schema.String, undo: Schema.Array(change) })

/** Steps of large changes: an undo that follows from the change itself is not written. */
const shortStepOf = <C>(change: Schema.Codec<C, unknown>, invert: (change: C) => ReadonlyArray<C>) => {
  const written = Schema.Struct({
    id: Schema.String,
    change,
    reason: Schema.String,
    undo: Schema.optionalKey(Schema.Array(change))
  })
  const isOwn = (step: Step<C>) => isSameJson(step.undo, invert(step.change))
  return written.pipe(
    Schema.decodeTo(
      // What a schema looks at it copies: the undo shares the content of the change, and large plans are half as large.
      Schema.declare((step): step is Step<C> => isJsonObject(step) && Array.isArray(step.undo)),
      SchemaTransformation.transform({
        decode: (step) => ({ ...step, undo: step.undo ?? invert(step.change) }),
        encode: (step) => (isOwn(step) ? { id: step.id, change: step.change, reason: step.reason } : step)
      })
    )
  )
}

/** Steps as the journal has them. */
export const stepsOf = <C>(change: Schema.Codec<C, unknown>, invert?: (change: C) => ReadonlyArray<C>) =>
  Schema.Array<Schema.Codec<Step<C>, unknown>>(invert === undefined ? stepOf(change) : shortStepOf(change, invert))

/**
 * Plans as the journal has them, with the schema of one change. With `invert`, ways back that it tells are left out when
 * they are written.
 */
export const planOf = <C>(change: Schema.Codec<C, unknown>, invert?: (change: C) => ReadonlyArray<C>) =>
  Schema.Struct({
    id: Schema.String,
    kind: Schema.String,
    steps: stepsOf(change, invert),
    warnings: Schema.Array(Schema.String),
    blocked: Schema.Array(Blocked),
    premise: Schema.optionalKey(Schema.Unknown),
    estimate: Estimate,
    createdAt: Schema.Int,
    expiresAt: Schema.Int,
    reverses: Schema.optionalKey(Schema.String),
    reversedProgress: Schema.optionalKey(Schema.Int)
  })
