import { Schema } from "effect"

import { open } from "../../internal/schema/JsonObject.ts"
import { AdvertId, Day } from "./ids.ts"
import { Told } from "./money.ts"

/** Whose statistics to read, and the first and last day. */
export const FullstatsRequest = Schema.Struct({ ids: Schema.Array(AdvertId), beginDate: Day, endDate: Day })
export type FullstatsRequest = typeof FullstatsRequest.Type

/** Views, clicks, orders and costs; money in rubles, `ctr` and `cr` in percent. */
const metrics = {
  views: Told,
  clicks: Told,
  ctr: Told,
  cpc: Told,
  cr: Told,
  atbs: Told,
  orders: Told,
  shks: Told,
  canceled: Told,
  sum: Told,
  sum_price: Told
}

/** The statistics of one campaign, by day. */
export const CampaignStats = open({
  advertId: Schema.Int,
  currency: Schema.optionalKey(Schema.NullOr(Schema.String)),
  ...metrics,
  days: Schema.optionalKey(Schema.NullOr(Schema.Array(open({ date: Schema.String, ...metrics }))))
})
export type CampaignStats = typeof CampaignStats.Type

/** No statistics for the requested campaigns may come as null. */
export const FullstatsReply = Schema.NullOr(Schema.Array(CampaignStats))

/** The campaign whose keywords to read, and the first and last day. */
export const KeywordsRequest = Schema.Struct({ advert_id: AdvertId, from: Day, to: Day })
export type KeywordsRequest = typeof KeywordsRequest.Type

/** The keywords of one day; `sum` in rubles. */
export const KeywordsDay = open({
  date: Schema.String,
  stats: Schema.Array(open({ keyword: Schema.String, views: Told, clicks: Told, ctr: Told, sum: Told }))
})
export type KeywordsDay = typeof KeywordsDay.Type

export const KeywordsReply = open({ keywords: Schema.optionalKey(Schema.NullOr(Schema.Array(KeywordsDay))) })
