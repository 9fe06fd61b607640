import { Schema } from "effect"

import { BidType, PaymentType, Placement } from "../../marketplace/Campaign.ts"
import { Blocked, Estimate, PlanKind } from "../../marketplace/plan/Plan.ts"

/* Shapes of results as a client may rely on them; all are open to fields that are not named. */

const next = Schema.optionalKey(Schema.String)

/** One amount in both units; the rubles as exact decimal text. */
const money = Schema.Struct({ kopecks: Schema.Int, rubles: Schema.String })

const row = {
  id: Schema.Int,
  name: Schema.String,
  status: Schema.Int,
  status_text: Schema.String,
  bid_type: BidType,
  payment_type: PaymentType,
  placements: Schema.Array(Placement)
}

export const campaigns = Schema.Struct({
  total: Schema.Int,
  campaigns: Schema.Array(Schema.Struct({ ...row, articles: Schema.Int })),
  next
})

export const campaign = Schema.Struct({
  ...row,
  created: Schema.NullOr(Schema.String),
  budget: Schema.NullOr(money),
  articles: Schema.Array(Schema.Struct({ nm_id: Schema.Int, bids: Schema.Record(Schema.String, Schema.NullOr(money)) }))
})

const step = Schema.Struct({ step: Schema.String, reason: Schema.String })

/** A plan in short. */
export const plan = Schema.Struct({
  plan_id: Schema.String,
  kind: PlanKind,
  steps: Schema.Int,
  by_kind: Schema.Record(Schema.String, Schema.Int),
  first_steps: Schema.Array(step),
  warnings: Schema.Array(Schema.String),
  blocked_count: Schema.Int,
  blocked: Schema.Array(Blocked),
  estimate: Estimate,
  expires_at: Schema.String,
  next: Schema.String
})

export const shownPlan = Schema.Struct({
  plan_id: Schema.String,
  kind: PlanKind,
  state: Schema.Literals(["planned", "begun", "applied", "taken back"]),
  total: Schema.Int,
  done: Schema.Int,
  steps: Schema.Array(step),
  next
})

export const report = Schema.Struct({
  plan_id: Schema.String,
  state: Schema.Literals(["applied", "in progress"]),
  done: Schema.Int,
  total: Schema.Int,
  found: Schema.Int,
  unconfirmed: Schema.Array(Schema.String),
  unconfirmed_count: Schema.Int,
  created: Schema.Record(Schema.String, Schema.Int),
  next: Schema.String
})

export const moved = Schema.Struct({
  done: Schema.Boolean,
  campaign: Schema.Struct({ ...row, articles: Schema.Int }),
  budget: Schema.NullOr(money),
  next: Schema.String
})

export const campaignStats = Schema.Struct({
  total: Schema.Int,
  rows: Schema.Array(
    Schema.Struct({ advert_id: Schema.Int, views: Schema.Finite, clicks: Schema.Finite, spent: money })
  ),
  next
})

export const clusterStats = Schema.Struct({
  total: Schema.Int,
  clusters: Schema.Array(
    Schema.Struct({ advert_id: Schema.Int, nm_id: Schema.Int, norm_query: Schema.String, cpc: money })
  )
})

export const phrases = Schema.Struct({
  items: Schema.Array(
    Schema.Struct({ advert_id: Schema.Int, nm_id: Schema.Int, norm_queries: Schema.Array(Schema.String) })
  ),
  next: Schema.String
})

export const lowestBids = Schema.Struct({
  campaign: Schema.String,
  articles: Schema.Array(Schema.Struct({ nm_id: Schema.Int, lowest: Schema.Record(Schema.String, money) }))
})

export const key = Schema.Struct({
  host: Schema.String,
  kind: Schema.String,
  may_write: Schema.Boolean,
  next: Schema.String
})

export const audit = Schema.Struct({
  total: Schema.Int,
  entries: Schema.Array(Schema.Struct({ at: Schema.String, what: Schema.String }))
})
