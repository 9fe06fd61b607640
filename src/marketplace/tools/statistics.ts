import { Effect, Schema } from "effect"

import { next, whole } from "../../changes/tools/results.ts"
import { reads } from "../../mcp/annotations.ts"
import { optional } from "../../mcp/parameters.ts"
import * as Tool from "../../mcp/Tool.ts"
import { distinctPairs } from "../client/ids.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { caps } from "../client/operations.ts"
import { chunks, spans, splitFullstats } from "../client/split.ts"
import { mustFit } from "./deadline.ts"
import { orRefuse } from "./errors.ts"
import { advertId, advertIds, from, groupBy, limit, offset, pairs, to } from "./parameters.ts"
import { countOf, more, reportedAmount, unitsIn } from "./shown.ts"

/** The marketplace omits some of the numbers, for example with pay per click. */
const countOrNull = Schema.NullOr(Schema.Finite)

export const campaignStatsShown = Schema.Struct({
  total: whole,
  rows: Schema.Array(
    Schema.Struct({
      advert_id: whole,
      date: Schema.optionalKey(Schema.String),
      views: countOrNull,
      clicks: countOrNull,
      ctr_percent: countOrNull,
      cpc: reportedAmount,
      orders: countOrNull,
      spent: reportedAmount,
      ordered_for: reportedAmount
    })
  ),
  without_statistics: Schema.optionalKey(Schema.Array(whole)),
  next
})

export const clusterStatsShown = Schema.Struct({
  total: whole,
  clusters: Schema.Array(
    Schema.Struct({
      advert_id: whole,
      nm_id: whole,
      norm_query: Schema.String,
      views: countOrNull,
      clicks: countOrNull,
      ctr_percent: countOrNull,
      cpc: reportedAmount,
      avg_pos: countOrNull
    })
  ),
  next
})

export const keywordStatsShown = Schema.Struct({
  days: Schema.Array(
    Schema.Struct({
      date: Schema.String,
      keywords: Schema.Array(
        Schema.Struct({ keyword: Schema.String, views: countOrNull, clicks: countOrNull, spent: reportedAmount })
      )
    })
  ),
  next
})

export const campaignStats = Tool.make("ads_campaign_stats", {
  title: "Campaign statistics",
  description:
    "Views, clicks, orders and money of campaigns, as totals or by day; 50 campaigns and 31 days take one call, and about 3 fit into an answer",
  annotations: reads,
  arguments: { ids: advertIds, from, to, group_by: groupBy, limit: limit(50), offset },
  result: campaignStatsShown,
  run: Effect.fn("ads_campaign_stats")(function* ({ from: beginDate, group_by, ids, limit, offset, to: endDate }) {
    const asked = { ids, beginDate, endDate }
    yield* mustFit("getAdvFullstats", splitFullstats(asked).length, fittingCampaigns)
    const stats = yield* MarketplaceAds.use((ads) => ads.getAdvFullstats(asked))
    const rows = stats.flatMap((campaign) => {
      const id = { advert_id: campaign.advertId }
      return group_by === "campaign"
        ? [{ ...id, ...metrics(campaign, campaign.currency) }]
        : (campaign.days ?? []).map((day) => ({
            ...id,
            date: day.date.slice(0, 10),
            ...metrics(day, campaign.currency)
          }))
    })
    const missing = ids.filter((id) => !stats.some(({ advertId: known }) => known === id))
    const shown = rows.slice(offset, offset + limit)
    return {
      total: rows.length,
      rows: shown,
      ...(missing.length > 0 ? { without_statistics: missing } : {}),
      next: more(offset + shown.length, rows.length, "ads_cluster_stats shows which searches bring the clicks")
    }
  }, orRefuse)
})

const fittingCampaigns = (most: number): string => {
  const { campaignIds, fullstatsDays } = caps
  const one = `${most * fullstatsDays} days of ${campaignIds} campaigns`
  return most === 1 ? one : `${one}, or ${fullstatsDays} days of ${most * campaignIds}`
}

type Told = number | null | undefined

interface Metrics {
  readonly views?: Told
  readonly clicks?: Told
  readonly ctr?: Told
  readonly cpc?: Told
  readonly orders?: Told
  readonly sum?: Told
  readonly sum_price?: Told
}

const metrics = (row: Metrics, currency: string | null | undefined) => ({
  views: countOf(row.views),
  clicks: countOf(row.clicks),
  ctr_percent: countOf(row.ctr),
  cpc: unitsIn(currency, row.cpc),
  orders: countOf(row.orders),
  spent: unitsIn(currency, row.sum),
  ordered_for: unitsIn(currency, row.sum_price)
})

export const clusterStats = Tool.make("ads_cluster_stats", {
  title: "Search cluster statistics",
  description: `What each search cluster of an article brought, most views first; at most ${caps.clusterStatsDays} days`,
  annotations: reads,
  arguments: {
    items: pairs,
    from,
    to,
    min_views: optional(Schema.Int.annotate({ description: "Only clusters with at least so many views" })),
    limit: limit(50)
  },
  result: clusterStatsShown,
  run: Effect.fn("ads_cluster_stats")(function* ({ from, items, limit, min_views, to }) {
    const calls = chunks(distinctPairs(items), caps.pairs).length
    yield* mustFit("getNormqueryStats", calls, (most) => `${most * caps.pairs} articles`)
    const { stats } = yield* MarketplaceAds.use((ads) => ads.getNormqueryStats({ from, to, items }))
    const rows = stats
      .flatMap(({ advert_id, nm_id, stats: clusters }) =>
        (clusters ?? []).map(({ avg_pos, clicks, cpc, ctr, currency, norm_query, views }) => ({
          advert_id,
          nm_id,
          norm_query,
          views: countOf(views),
          clicks: countOf(clicks),
          ctr_percent: countOf(ctr),
          cpc: unitsIn(currency, cpc),
          avg_pos: countOf(avg_pos)
        }))
      )
      .filter(({ views }) => min_views === undefined || (views ?? 0) >= min_views)
      .toSorted((a, b) => (b.views ?? 0) - (a.views ?? 0))
    return {
      total: rows.length,
      clusters: rows.slice(0, limit),
      next: "ads_plan_cluster_bids plans bids for clusters; ads_plan_minus_phrases shuts phrases out"
    }
  }, orRefuse)
})

export const keywordStats = Tool.make("ads_keyword_stats", {
  title: "Keyword statistics",
  description:
    "Keywords of a campaign by day. The marketplace switched this off on 2026-01-15: on not found, use ads_cluster_stats",
  annotations: reads,
  arguments: { advert_id: advertId, from, to },
  result: keywordStatsShown,
  run: Effect.fn("ads_keyword_stats")(function* (request) {
    const { length: calls } = spans(request.from, request.to, caps.keywordDays)
    yield* mustFit("getStatsKeywords", calls, (most) => `${most * caps.keywordDays} days`)
    const { keywords } = yield* MarketplaceAds.use((ads) => ads.getStatsKeywords(request))
    return {
      days: keywords.map(({ date, stats }) => ({
        date,
        keywords: stats.map(({ clicks, keyword, sum, views }) => ({
          keyword,
          views: countOf(views),
          clicks: countOf(clicks),
          spent: unitsIn(undefined, sum)
        }))
      })),
      next: "ads_plan_minus_phrases shuts phrases out"
    }
  }, orRefuse)
})
