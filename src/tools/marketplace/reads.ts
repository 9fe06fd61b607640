import { Effect, Schema } from "effect"

import { AdsNotFound } from "../../marketplace/AdsRefused.ts"
import {
  articlesOf,
  BidType,
  nameOf,
  paymentOf,
  PaymentType,
  placementsOf,
  Placement,
  status
} from "../../marketplace/Campaign.ts"
import { distinctPairs } from "../../marketplace/ids.ts"
import { MarketplaceAds } from "../../marketplace/MarketplaceAds.ts"
import { money, moneyFromRubles } from "../../marketplace/money.ts"
import { caps } from "../../marketplace/operations.ts"
import { reads } from "../annotations.ts"
import { optional } from "../parameters.ts"
import * as Tool from "../Tool.ts"
import { advertId, advertIds, limit, nmIds, offset, pairs } from "./parameters.ts"
import * as results from "./readResults.ts"
import { orRefuse } from "./refusal.ts"
import { articleRow, campaignRow, more } from "./shown.ts"

/** One campaign, or the error that there is none. */
export const readCampaign = Effect.fnUntraced(function* (advert_id: number) {
  const { adverts } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2({ ids: [advert_id] }))
  const campaign = adverts.find(({ id }) => id === advert_id)
  return (
    campaign ??
    (yield* new AdsNotFound({
      operation: "getAdvertsV2",
      status: 404,
      detail: `there is no campaign ${advert_id}`,
      fields: []
    }))
  )
})

/** The money of a campaign, from whichever operation tells it; null where none does, whatever is in the way. */
export const readBudget = Effect.fnUntraced(function* (advert_id: number) {
  const ads = yield* MarketplaceAds
  const older = Effect.map(ads.getBudget(advert_id), ({ total }) => moneyFromRubles(total))
  const newer = Effect.map(ads.getBudgets([advert_id]), ([budget]) =>
    budget === undefined ? null : moneyFromRubles(budget.total)
  )
  return yield* newer.pipe(
    Effect.catchTag("AdsNotFound", () => older),
    Effect.orElseSucceed(() => null)
  )
})

export const listCampaigns = Tool.make("ads_list_campaigns", {
  title: "List campaigns",
  description: "List advertising campaigns, one row each; ads_get_campaign shows the bids of one",
  annotations: reads,
  arguments: {
    statuses: optional(
      Schema.Array(Schema.Literals(Object.values(status))).annotate({
        description: "-1 being deleted, 4 ready, 7 finished, 8 declined, 9 active, 11 paused; default all"
      })
    ),
    ids: optional(advertIds),
    payment_type: optional(PaymentType.annotate({ description: "Paid by views or by clicks" })),
    bid_type: optional(BidType.annotate({ description: "One bid (type 8), or a bid per article" })),
    limit: limit(100),
    offset
  },
  result: results.campaigns,
  run: Effect.fn("ads_list_campaigns")(function* ({ bid_type, limit, offset, ...filter }) {
    const { adverts } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2(filter))
    const found = adverts
      .filter((campaign) => bid_type === undefined || campaign.bid_type === bid_type)
      .toSorted((a, b) => a.id - b.id)
    const shown = found.slice(offset, offset + limit)
    return {
      total: found.length,
      campaigns: shown.map(campaignRow),
      next: more(
        offset + shown.length,
        found.length,
        "ads_get_campaign shows one with its bids; ads_plan_migration plans the move of those with one bid"
      )
    }
  }, orRefuse)
})

export const getCampaign = Tool.make("ads_get_campaign", {
  title: "Get campaign",
  description: "Read one campaign with its articles and their bids, in kopecks and rubles",
  annotations: reads,
  arguments: { advert_id: advertId },
  result: results.campaign,
  run: Effect.fn("ads_get_campaign")(function* ({ advert_id }) {
    const campaign = yield* readCampaign(advert_id)
    return {
      ...campaignRow(campaign),
      created: campaign.timestamps?.created ?? null,
      budget: yield* readBudget(advert_id),
      articles: articlesOf(campaign).map((article) => articleRow(campaign, article)),
      next: "ads_plan_bids, ads_plan_minus_phrases and ads_plan_products plan changes; ads_campaign_stats shows what it brings"
    }
  }, orRefuse)
})

const phrasesEach = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: caps.phrases }, { message: `must be between 1 and ${caps.phrases}` })
).annotate({ description: "Phrases to show of each article, default 100; count tells how many there are" })

export const getMinusPhrases = Tool.make("ads_get_minus_phrases", {
  title: "Get minus-phrases",
  description: "Read the minus-phrases of articles, or of all articles of a campaign",
  annotations: reads,
  arguments: {
    items: optional(pairs),
    advert_id: optional(advertId),
    limit: limit(50),
    offset,
    phrases_each: optional(phrasesEach)
  },
  result: results.phrases,
  run: Effect.fn("ads_get_minus_phrases")(function* ({ advert_id, items = [], limit, offset, phrases_each = 100 }) {
    const own =
      advert_id === undefined
        ? []
        : articlesOf(yield* readCampaign(advert_id)).map(({ nm_id }) => ({ advert_id, nm_id }))
    const all = distinctPairs([...items, ...own])
    const asked = all.slice(offset, offset + limit)
    const found = yield* MarketplaceAds.use((ads) => ads.getMinusPhrases({ items: asked }))
    return {
      total: all.length,
      items: found.items.map(({ norm_queries, ...article }) => ({
        ...article,
        count: norm_queries.length,
        norm_queries: norm_queries.slice(0, phrases_each)
      })),
      next: more(
        offset + asked.length,
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
    placements: optional(Schema.Array(Placement).annotate({ description: "Default: those of the campaign" }))
  },
  result: results.lowestBids,
  run: Effect.fn("ads_min_bids")(function* ({ advert_id, nm_ids, placements }) {
    const campaign = yield* readCampaign(advert_id)
    const { bids } = yield* MarketplaceAds.use((ads) =>
      ads.getBidsMin({
        advert_id,
        nm_ids: nm_ids ?? articlesOf(campaign).map(({ nm_id }) => nm_id),
        payment_type: paymentOf(campaign),
        placement_types: placements ?? placementsOf(campaign)
      })
    )
    return {
      campaign: nameOf(campaign),
      articles: bids.map(({ bids: lowest, nm_id }) => ({
        nm_id,
        lowest: Object.fromEntries(lowest.map(({ type, value }) => [type, money(value)]))
      })),
      next: "ads_plan_bids plans bids; with on_below_floor raise it lifts those that are too low"
    }
  }, orRefuse)
})
