import { Schema } from "effect"

import { open } from "../../internal/schema/JsonObject.ts"
import { AdvertId, Day } from "./ids.ts"
import { Told } from "./money.ts"

/** The campaigns whose statistics are read, and the first and last day. */
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

/** A list that may be missing or null. */
const listOf = <S extends Schema.Codec<unknown, unknown>>(item: S) =>
  Schema.optionalKey(Schema.NullOr(Schema.Array(item)))

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))

/** The statistics of one campaign, by day, there by application and article, and the average positions of articles. */
export const CampaignStats = open({
  advertId: Schema.Int,
  currency: Text,
  ...metrics,
  days: listOf(
    open({
      date: Schema.String,
      ...metrics,
      apps: listOf(open({ ...metrics, nms: listOf(open({ nmId: Schema.Int, name: Text, ...metrics })) }))
    })
  ),
  boosterStats: listOf(open({ date: Schema.String, nm: Schema.Int, avg_position: Told }))
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
