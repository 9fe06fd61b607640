import { Schema } from "effect"

import { KeyKind } from "../client/ApiKey.ts"
import { Wire } from "../client/Bids.ts"
import { anyMoney, next, row, told, whole } from "./shapes.ts"

/* Shapes of results as a client may rely on them; all are open to fields that are not named. Those of plans lie with them. */

export const campaigns = Schema.Struct({
  total: whole,
  campaigns: Schema.Array(Schema.Struct({ ...row, articles: whole })),
  unreadable: Schema.optionalKey(
    Schema.Array(Schema.Struct({ advert_id: Schema.NullOr(whole), problem: Schema.String }))
  ),
  unreadable_count: Schema.optionalKey(whole),
  next
})

export const campaign = Schema.Struct({
  ...row,
  created: Schema.NullOr(Schema.String),
  budget: told,
  total: whole.annotate({ description: "Articles of the campaign" }),
  articles: Schema.Array(
    Schema.Struct({
      nm_id: whole,
      subject: Schema.optionalKey(Schema.String),
      bids: Schema.Record(Schema.String, Schema.NullOr(anyMoney))
    })
  ),
  next
})

/** The marketplace leaves some of the numbers out, as where clicks are paid (D7). */
const countOrNull = Schema.NullOr(Schema.Finite)

export const campaignStats = Schema.Struct({
  total: whole,
  rows: Schema.Array(
    Schema.Struct({
      advert_id: whole,
      date: Schema.optionalKey(Schema.String),
      views: countOrNull,
      clicks: countOrNull,
      ctr_percent: countOrNull,
      cpc: told,
      orders: countOrNull,
      spent: told,
      ordered_for: told
    })
  ),
  without_statistics: Schema.optionalKey(Schema.Array(whole)),
  next
})

export const clusterStats = Schema.Struct({
  total: whole,
  clusters: Schema.Array(
    Schema.Struct({
      advert_id: whole,
      nm_id: whole,
      norm_query: Schema.String,
      views: countOrNull,
      clicks: countOrNull,
      ctr_percent: countOrNull,
      cpc: told,
      avg_pos: countOrNull
    })
  ),
  next
})

export const keywordStats = Schema.Struct({
  days: Schema.Array(
    Schema.Struct({
      date: Schema.String,
      keywords: Schema.Array(
        Schema.Struct({ keyword: Schema.String, views: countOrNull, clicks: countOrNull, spent: told })
      )
    })
  ),
  next
})

export const phrases = Schema.Struct({
  total: whole,
  items: Schema.Array(
    Schema.Struct({ advert_id: whole, nm_id: whole, count: whole, norm_queries: Schema.Array(Schema.String) })
  ),
  next
})

export const lowestBids = Schema.Struct({
  campaign: Schema.String,
  total: whole.annotate({ description: "Articles that were asked for" }),
  articles: Schema.Array(Schema.Struct({ nm_id: whole, lowest: Schema.Record(Schema.String, told) })),
  next
})

export const key = Schema.Struct({
  host: Schema.String,
  accepted: Schema.Boolean,
  kind: KeyKind,
  promotion_right: Schema.NullOr(Schema.Boolean),
  days_left: Schema.NullOr(whole),
  may_write: Schema.Boolean,
  why_not: Schema.optionalKey(Schema.String),
  campaign_reads: Schema.String,
  wire: Schema.Literals([...Wire.literals, "not chosen"]),
  /** Missing where the key is not accepted. */
  campaigns: Schema.optionalKey(whole),
  next
})

/** A start or a pause, done or only shown. */
export const moved = Schema.Struct({
  done: Schema.Boolean,
  campaign: Schema.Struct({ ...row, articles: whole }),
  budget: told,
  status_now: Schema.optionalKey(whole),
  status_text_now: Schema.optionalKey(Schema.String),
  next
})
