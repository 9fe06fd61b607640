import { Effect, Schema } from "effect"

import { next, whole } from "../../changes/tools/results.ts"
import { reads } from "../../mcp/annotations.ts"
import { flag, optional } from "../../mcp/parameters.ts"
import * as Tool from "../../mcp/Tool.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { articlesOf, type Campaign, nameOf, pairsOf, paymentOf, Placement, placementsOf } from "../client/Campaign.ts"
import { campaignWide, distinctPairs, type Pair, pairKey } from "../client/ids.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { kopecksTold } from "../client/money.ts"
import { caps } from "../client/operations.ts"
import { readCampaign } from "./campaigns.ts"
import { orRefuse } from "./errors.ts"
import { advertId, limit, nmIds, offset, pairs, words } from "./parameters.ts"
import { more, reportedAmount, toldIn } from "./shown.ts"

const phrasesShown = Schema.Struct({
  total: whole,
  items: Schema.Array(
    Schema.Struct({
      advert_id: whole,
      nm_id: whole,
      count: whole,
      norm_queries: Schema.Array(Schema.String),
      clusters: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
    })
  ),
  next
})

export const lowestBidsShown = Schema.Struct({
  campaign: Schema.String,
  total: whole.annotate({ description: "Articles that were asked for" }),
  articles: Schema.Array(Schema.Struct({ nm_id: whole, lowest: Schema.Record(Schema.String, reportedAmount) })),
  next
})

const phrasesEach = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: caps.phrases }, { message: `must be between 1 and ${caps.phrases}` })
).annotate({ inputSchema: { type: "integer", description: "Phrases of each, default 100" } })

/** The search clusters of articles by their state, each list with its length. */
const clustersOf = Effect.fnUntraced(function* (pairs: ReadonlyArray<Pair>, most: number) {
  // Clusters belong to articles, never to a whole campaign.
  const items = pairs.filter(({ nm_id }) => nm_id !== campaignWide)
  const { items: lists } = yield* MarketplaceAds.use((ads) => ads.getNormqueryList({ items }))
  const part = (list: ReadonlyArray<string>) => ({ count: list.length, norm_queries: list.slice(0, most) })
  return new Map(
    lists.map((one) => {
      const { active, archived, excluded } = one
      return [
        pairKey(one),
        { clusters: { active: part(active), excluded: part(excluded), archived: part(archived) } }
      ] as const
    })
  )
})

export const getMinusPhrases = Tool.make("ads_get_minus_phrases", {
  title: "Get minus-phrases",
  description: "Read the minus-phrases (минус-фразы) of articles, or of a campaign",
  annotations: reads,
  arguments: {
    items: optional(pairs),
    advert_id: optional(advertId),
    limit: limit(50),
    offset,
    phrases_each: optional(phrasesEach),
    clusters: optional(flag("Also clusters by state"))
  },
  result: phrasesShown,
  run: Effect.fn("ads_get_minus_phrases")(function* (given) {
    const { advert_id, clusters = false, items, limit, offset, phrases_each = 100 } = given
    if ((items === undefined) === (advert_id === undefined)) {
      return yield* new InvalidArgument({ argument: "arguments", problem: "must have exactly one of items, advert_id" })
    }
    const ofCampaign = advert_id === undefined ? [] : pairsOf([yield* readCampaign(advert_id)])
    const all = distinctPairs(items ?? ofCampaign)
    const page = all.slice(offset, offset + limit)
    const phrases = yield* MarketplaceAds.use((ads) => ads.getMinusPhrases({ items: page }))
    const states = clusters ? yield* clustersOf(page, phrases_each) : new Map<string, object>()
    // An article without phrases may be missing from the answer, and has clusters all the same.
    const pairsTold = new Set(phrases.items.map(pairKey))
    const others = page.filter((pair) => states.has(pairKey(pair)) && !pairsTold.has(pairKey(pair)))
    const rows = [...phrases.items, ...others.map((pair) => ({ ...pair, norm_queries: [] }))]
    return {
      total: all.length,
      items: rows.map(({ norm_queries, ...article }) => ({
        ...article,
        count: norm_queries.length,
        norm_queries: norm_queries.slice(0, phrases_each),
        ...states.get(pairKey(article))
      })),
      next: more(
        offset + page.length,
        all.length,
        "ads_plan_minus_phrases plans a change; phrases are kept per article, so a plan has one step per article"
      )
    }
  }, orRefuse)
})

/** Articles whose recommended bids one call may tell: the limit allows five a minute. */
const mostRecommended = 5

/** Search clusters of an article for which bids are recommended that one answer holds. */
const mostClusters = 10

/** The bids that reach certain places, in rubles: of articles, of their search clusters, and with pay per click of ranges. */
const recommendedBids = Effect.fnUntraced(function* (campaign: Campaign, nm_ids: ReadonlyArray<number>) {
  const ads = yield* MarketplaceAds
  const rubles = (bid: { readonly bidKopecks?: number | null } | null | undefined) => {
    const amount = toldIn(campaign.currency, kopecksTold(bid?.bidKopecks))
    if (amount === null) return null
    return "rubles" in amount ? amount.rubles : `${amount.amount} ${amount.currency}`
  }
  const all = yield* Effect.forEach(nm_ids, (nm_id) =>
    Effect.map(ads.getBidsRecommendations({ advert_id: campaign.id, nm_id }), ({ base, levels, normQueries }) => {
      const clusters = (normQueries ?? []).slice(0, mostClusters)
      const recommended = {
        competitive: rubles(base?.competitiveBid),
        leaders: rubles(base?.leadersBid),
        top: rubles(base?.top2),
        clusters: clusters.map((one) => ({
          norm_query: one.normQuery,
          min: rubles(one.reachMin),
          medium: rubles(one.reachMedium),
          max: rubles(one.reachMax)
        })),
        positions: (levels ?? []).map((one) => ({
          "1-2": rubles(one.range1To2),
          "3-10": rubles(one.range3To10),
          "11-34": rubles(one.range11To34)
        }))
      }
      return [nm_id, { recommended }] as const
    })
  )
  return new Map(all)
})

export const minBids = Tool.make("ads_min_bids", {
  title: "Lowest bids",
  description: "The lowest bids (минимальные ставки) of articles of a campaign, and recommended ones",
  annotations: reads,
  arguments: {
    advert_id: advertId,
    nm_ids: optional(nmIds),
    recommended: optional(flag(`Also those, of ${mostRecommended} nm_ids`)),
    placements: optional(words(Placement, "Default the campaign's")),
    limit: limit(100),
    offset
  },
  result: lowestBidsShown,
  run: Effect.fn("ads_min_bids")(function* ({ advert_id, limit, nm_ids, offset, placements, recommended = false }) {
    const campaign = yield* readCampaign(advert_id)
    const all = [...new Set(nm_ids ?? articlesOf(campaign).map(({ nm_id }) => nm_id))]
    if (recommended && all.length > mostRecommended) {
      const problem = `must name at most ${mostRecommended} articles with recommended: the marketplace tells few of them at once`
      return yield* new InvalidArgument({ argument: "nm_ids", problem })
    }
    const page = all.slice(offset, offset + limit)
    const { bids } = yield* MarketplaceAds.use((ads) =>
      ads.getBidsMin({
        advert_id,
        nm_ids: page,
        payment_type: paymentOf(campaign),
        placement_types: placements ?? placementsOf(campaign)
      })
    )
    const advised = recommended ? yield* recommendedBids(campaign, page) : new Map<number, object>()
    return {
      campaign: nameOf(campaign),
      total: all.length,
      articles: bids.map(({ bids: lowest, nm_id }) => ({
        nm_id,
        lowest: Object.fromEntries(
          lowest.map(({ currency, type, value }) => [type, toldIn(currency ?? campaign.currency, kopecksTold(value))])
        ),
        ...advised.get(nm_id)
      })),
      next: more(
        offset + page.length,
        all.length,
        "ads_plan_bids plans bids; with on_below_floor raise it lifts those that are too low"
      )
    }
  }, orRefuse)
})
