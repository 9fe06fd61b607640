import { Schema, Struct } from "effect"

import { Placement } from "../../client/Campaign.ts"
import { Blocked, PlanKind } from "../../plan/Plan.ts"
import { amountShape as money, next, whole } from "../shown.ts"

/* Shapes of plans and of what comes of them, as a client may rely on them; all are open to fields that are not named. */

/* What a step leads from and to, by the kind of change. */

const amount = Schema.NullOr(money)
const phraseList = Schema.Struct({ count: whole, phrases: Schema.Array(Schema.String) })
const membership = Schema.String
const newCampaign = Schema.Struct({
  name: Schema.String,
  articles: Schema.optionalKey(whole),
  placements: Schema.optionalKey(Schema.Array(Placement))
})
const anyPlace = Schema.Union([money, phraseList, newCampaign, membership, Schema.Null])

const stepOf = <S extends Schema.Constraint>(place: S) => ({
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

/** A plan in short. */
const planOf = <S extends Schema.Constraint>(kind: PlanKind, place: S) => ({
  plan_id: Schema.String,
  kind: Schema.Literal(kind),
  steps: whole,
  by_kind: Schema.Record(Schema.String, whole),
  first_steps: Schema.Array(Schema.Struct(stepOf(place))),
  ...apartFromSteps,
  next
})

export const bidsPlan = Schema.Struct(planOf("bids", amount))
export const phrasesPlan = Schema.Struct(planOf("minus-phrases", phraseList))
export const productsPlan = Schema.Struct(planOf("products", membership))
export const clusterBidsPlan = Schema.Struct(planOf("cluster-bids", amount))
export const campaignPlan = Schema.Struct(
  planOf("campaign", Schema.Union([money, newCampaign, membership, Schema.Null]))
)
export const migrationPlan = Schema.Struct(planOf("migration", anyPlace))
export const wayBack = Schema.Struct({ reverses: Schema.String, ...planOf("rollback", anyPlace) })

export const shownPlan = Schema.Struct({
  plan_id: Schema.String,
  kind: PlanKind,
  state: Schema.Literals(["planned", "begun", "partly applied", "refused", "applied", "taken back"]),
  total: whole,
  done: whole,
  refused: whole,
  unconfirmed: whole,
  steps: Schema.Array(
    Schema.Struct({ ...stepOf(anyPlace), done: Schema.Boolean, refused: Schema.optionalKey(Schema.String) })
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
  rounded: Schema.Array(Schema.Struct({ step: Schema.String, bid: amount })).annotate({
    description: "Bids that the marketplace rounded, as they show"
  }),
  rounded_count: whole,
  created: Schema.Record(Schema.String, whole),
  notice: Schema.optionalKey(Schema.String),
  next
})

/** Which fields an entry has depends on `what`. */
const entry = {
  plan_id: Schema.String,
  kind: PlanKind,
  steps: whole,
  reverses: Schema.String,
  ...stepOf(anyPlace),
  created: whole,
  problem: Schema.String,
  advert_id: whole,
  status_before: whole,
  outcome: Schema.String
}

export const audit = Schema.Struct({
  total: whole,
  entries: Schema.Array(
    Schema.Struct({
      at: Schema.String,
      what: Schema.String,
      ...Struct.map(entry, Schema.optionalKey)
    })
  ),
  next
})
