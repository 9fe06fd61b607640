import { Effect, Schema } from "effect"

import { next, whole } from "../../changes/tools/results.ts"
import { reads } from "../../mcp/annotations.ts"
import { optional } from "../../mcp/parameters.ts"
import * as Tool from "../../mcp/Tool.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { articlesOf, nameOf, pairsOf, paymentOf, Placement, placementsOf } from "../client/Campaign.ts"
import { distinctPairs } from "../client/ids.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { kopecksTold } from "../client/money.ts"
import { caps } from "../client/operations.ts"
import { readCampaign } from "./campaigns.ts"
import { orRefuse } from "./errors.ts"
import { advertId, limit, nmIds, notEmpty, offset, pairs } from "./parameters.ts"
import { more, reportedAmount, toldIn } from "./shown.ts"

const phrasesShown = Schema.Struct({
  total: whole,
  items: Schema.Array(
    Schema.Struct({ advert_id: whole, nm_id: whole, count: whole, norm_queries: Schema.Array(Schema.String) })
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
).annotate({ description: "Phrases to show of each article, default 100; count tells how many there are" })

export const getMinusPhrases = Tool.make("ads_get_minus_phrases", {
  title: "Get minus-phrases",
  description: "Read the minus-phrases of articles (items), or of all articles of a campaign (advert_id)",
  annotations: reads,
  arguments: {
    items: optional(pairs),
    advert_id: optional(advertId),
    limit: limit(50),
    offset,
    phrases_each: optional(phrasesEach)
  },
  result: phrasesShown,
  run: Effect.fn("ads_get_minus_phrases")(function* ({ advert_id, items, limit, offset, phrases_each = 100 }) {
    if ((items === undefined) === (advert_id === undefined)) {
      return yield* new InvalidArgument({ argument: "arguments", problem: "must have exactly one of items, advert_id" })
    }
    const ofCampaign = advert_id === undefined ? [] : pairsOf([yield* readCampaign(advert_id)])
    const all = distinctPairs(items ?? ofCampaign)
    const page = all.slice(offset, offset + limit)
    const phrases = yield* MarketplaceAds.use((ads) => ads.getMinusPhrases({ items: page }))
    return {
      total: all.length,
      items: phrases.items.map(({ norm_queries, ...article }) => ({
        ...article,
        count: norm_queries.length,
        norm_queries: norm_queries.slice(0, phrases_each)
      })),
      next: more(
        offset + page.length,
        all.length,
        "ads_plan_minus_phrases plans a change; phrases are kept per article, so a plan has one step per article"
      )
    }
  }, orRefuse)
})

export const minBids = Tool.make("ads_min_bids", {
  title: "Lowest bids",
  description: "The lowest bids that the marketplace takes now for articles of a campaign",
  annotations: reads,
  arguments: {
    advert_id: advertId,
    nm_ids: optional(nmIds),
    placements: optional(
      Schema.Array(Placement).check(notEmpty).annotate({ description: "Default: those of the campaign" })
    ),
    limit: limit(100),
    offset
  },
  result: lowestBidsShown,
  run: Effect.fn("ads_min_bids")(function* ({ advert_id, limit, nm_ids, offset, placements }) {
    const campaign = yield* readCampaign(advert_id)
    const all = [...new Set(nm_ids ?? articlesOf(campaign).map(({ nm_id }) => nm_id))]
    const page = all.slice(offset, offset + limit)
    const { bids } = yield* MarketplaceAds.use((ads) =>
      ads.getBidsMin({
        advert_id,
        nm_ids: page,
        payment_type: paymentOf(campaign),
        placement_types: placements ?? placementsOf(campaign)
      })
    )
    return {
      campaign: nameOf(campaign),
      total: all.length,
      articles: bids.map(({ bids: lowest, nm_id }) => ({
        nm_id,
        lowest: Object.fromEntries(
          lowest.map(({ currency, type, value }) => [type, toldIn(currency ?? campaign.currency, kopecksTold(value))])
        )
      })),
      next: more(
        offset + page.length,
        all.length,
        "ads_plan_bids plans bids; with on_below_floor raise it lifts those that are too low"
      )
    }
  }, orRefuse)
})
