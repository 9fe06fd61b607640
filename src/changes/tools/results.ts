import { Schema, Struct } from "effect"

import { JsonObject } from "../../internal/schema/JsonObject.ts"
import { Blocked } from "../Plan.ts"

/** What a value is, in lists alone: its type says no more than that of `Value`. */
type Shape<Value> = Schema.Codec<Value, unknown>

/** What a step leads from or to, as its upstream shows it. */
const place: Shape<unknown> = Schema.Union([Schema.Null, Schema.Boolean, Schema.Finite, Schema.String, JsonObject])

/* Shapes of plans and of what comes of them, as a client may rely on them; all are open to fields that are not named. */

/** An integer, listed without the bounds of a safe one: every tool's list of fields would repeat them. */
export const whole = Schema.Number.check(Schema.isInt({ toJsonSchema: () => ({ type: "integer" }) }))

/** A row of a step; what it leads from and to depends on the upstream and the kind of change. */
const stepOf = (place: Shape<unknown>) => ({
  step: Schema.String,
  before: place,
  after: place,
  reason: Schema.String
})

const apartFromSteps = {
  warnings: Schema.Array(Schema.String),
  blocked_count: whole,
  blocked: Schema.Array(Blocked),
  estimate: Schema.Struct({ calls: whole, seconds: whole }),
  expires_at: Schema.String
}

/** What to do next. */
export const next = Schema.String

/** A plan in short, as tools that plan answer. */
export const summaryFields = (kind: Shape<string>, place: Shape<unknown>) => ({
  plan_id: Schema.String,
  kind,
  digest: Schema.optionalKey(Schema.String),
  steps: whole,
  by_kind: Schema.Record(Schema.String, whole),
  first_steps: Schema.Array(Schema.Struct(stepOf(place))),
  ...apartFromSteps,
  next
})

export const rollback = Schema.Struct({
  reverses: Schema.String,
  ...summaryFields(Schema.Literal("rollback"), place)
})

export const shownPlan = Schema.Struct({
  plan_id: Schema.String,
  kind: Schema.String,
  digest: Schema.optionalKey(Schema.String),
  state: Schema.Literals(["planned", "begun", "partly applied", "refused", "applied", "rolled back"]),
  total: whole,
  done: whole,
  refused: whole,
  unconfirmed: whole,
  steps: Schema.Array(
    Schema.Struct({ ...stepOf(place), done: Schema.Boolean, refused: Schema.optionalKey(Schema.String) })
  ),
  notice: Schema.optionalKey(Schema.String),
  ...apartFromSteps,
  next
})

export const report = Schema.Struct({
  plan_id: Schema.String,
  state: Schema.Literals(["applied", "in progress", "partly applied", "refused"]),
  done: whole.annotate({ description: "Over all calls" }),
  total: whole,
  found: whole.annotate({ description: "As wanted without being sent; in this call alone" }),
  refused: Schema.Array(Schema.Struct({ step: Schema.String, problem: Schema.String })),
  refused_count: whole,
  unconfirmed: Schema.Array(Schema.String),
  unconfirmed_count: whole,
  created: Schema.Record(Schema.String, Schema.Union([whole, Schema.String])),
  notice: Schema.optionalKey(Schema.String),
  next
})

/** Which fields an entry has depends on `what`; those of an action without a plan are its upstream's. */
const entry = {
  plan_id: Schema.String,
  kind: Schema.String,
  steps: whole,
  reverses: Schema.String,
  ...stepOf(place),
  created: Schema.Union([whole, Schema.String]),
  problem: Schema.String,
  outcome: Schema.String
}

const entryShape: Shape<JsonObject> = Schema.Struct({
  at: Schema.String,
  what: Schema.String,
  ...Struct.map(entry, Schema.optionalKey)
})

export const audit = Schema.Struct({ total: whole, entries: Schema.Array(entryShape), next })
