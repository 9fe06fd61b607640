import { Schema, Struct } from "effect"

import { JsonObject } from "../../internal/schema/JsonObject.ts"
import { Blocked } from "../Plan.ts"

/** The shape of a value, in lists alone: its type says no more than that of `Value`. */
type Shape<Value> = Schema.Codec<Value, unknown>

/** A thing before or after a step, as its upstream shows it. */
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

/** The next thing to do. */
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
  // oxlint-disable-next-line id-denylist -- a field of the answer
  found: whole.annotate({ description: "As wanted without being sent; in this call alone" }),
  refused: Schema.optionalKey(Schema.Array(Schema.Struct({ step: Schema.String, problem: Schema.String }))),
  refused_count: Schema.optionalKey(whole),
  unconfirmed: Schema.optionalKey(Schema.Array(Schema.String)),
  unconfirmed_count: Schema.optionalKey(whole),
  created: Schema.optionalKey(Schema.Record(Schema.String, Schema.Union([whole, Schema.String]))),
  notice: Schema.optionalKey(Schema.String),
  next
})

/** The fields of an entry, which depend on `what`; those of an action without a plan are its upstream's. */
const entry = {
  plan_id: Schema.String,
  kind: Schema.String,
  steps: whole,
  reverses: Schema.String,
  ...stepOf(place),
  created: Schema.Union([whole, Schema.String]),
  problem: Schema.String,
  outcome: Schema.String,
  who: Schema.String,
  done: whole,
  changed_at: Schema.String,
  changed_by: Schema.String,
  digest: Schema.String,
  pause_id: Schema.String,
  advert_id: whole
}

const entryShape: Shape<JsonObject> = Schema.Struct({
  at: Schema.String,
  what: Schema.String,
  ...Struct.map(entry, Schema.optionalKey)
})

export const audit = Schema.Struct({ total: whole, entries: Schema.Array(entryShape), next })
