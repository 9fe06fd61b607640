import { Schema } from "effect"

import * as results from "../../../changes/tools/results.ts"
import { Placement } from "../../client/Campaign.ts"
import type { PlanKind } from "../../plan/Plan.ts"
import { amountShape as money } from "../shown.ts"

/* Shapes of plans, as a client may rely on them; all are open to fields that are not named. */

/* What is there before and after a step, by the kind of change. */

const amount = Schema.NullOr(money)
const phraseList = Schema.Struct({ count: results.whole, phrases: Schema.Array(Schema.String) })
const membership = Schema.String
const newCampaign = Schema.Struct({
  name: Schema.String,
  articles: Schema.optionalKey(results.whole),
  placements: Schema.optionalKey(Schema.Array(Placement))
})
const anyPlace = Schema.Union([money, phraseList, newCampaign, membership, Schema.Null])

/** A plan's summary. */
const planOf = (kind: PlanKind, place: Schema.Codec<unknown, unknown>) =>
  results.summaryFields(Schema.Literal(kind), place)

export const bidsPlan = Schema.Struct(planOf("bids", amount))
export const phrasesPlan = Schema.Struct(planOf("minus-phrases", phraseList))
export const productsPlan = Schema.Struct(planOf("products", membership))
export const clusterBidsPlan = Schema.Struct(planOf("cluster-bids", amount))
export const campaignPlan = Schema.Struct(
  planOf("campaign", Schema.Union([money, newCampaign, membership, Schema.Null]))
)
export const migrationPlan = Schema.Struct(planOf("migration", anyPlace))
