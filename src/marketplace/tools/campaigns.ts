import { Effect, Schema } from "effect"

import { next, whole } from "../../changes/tools/results.ts"
import { reads } from "../../mcp/annotations.ts"
import { optional } from "../../mcp/parameters.ts"
import * as Tool from "../../mcp/Tool.ts"
import { articlesOf, BidType, PaymentType, status } from "../client/Campaign.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { AdsNotFound, CampaignUnreadable, MarketplaceError, type Reason } from "../client/MarketplaceError.ts"
import * as Budget from "../client/readBudgets.ts"
import { orRefuse } from "./errors.ts"
import { advertId, advertIds, limit, offset } from "./parameters.ts"
import { anyMoney, articleRow, budgetShown, campaignRow, leftOut, more, row, reportedAmount } from "./shown.ts"

const campaignsShown = Schema.Struct({
  total: whole,
  campaigns: Schema.Array(Schema.Struct({ ...row, articles: whole })),
  unreadable: Schema.optionalKey(
    Schema.Array(Schema.Struct({ advert_id: Schema.NullOr(whole), problem: Schema.String }))
  ),
  unreadable_count: Schema.optionalKey(whole),
  next
})

export const campaignShown = Schema.Struct({
  ...row,
  created: Schema.NullOr(Schema.String),
  budget: reportedAmount,
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

/** One campaign, or the error that it does not exist. */
export const readCampaign = Effect.fnUntraced(function* (advert_id: number) {
  const { adverts, unreadable } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2({ ids: [advert_id] }))
  const hidden = unreadable.find((one) => one.advert_id === advert_id)
  const failed = (reason: Reason) => new MarketplaceError({ operation: "getAdvertsV2", reason })
  if (hidden !== undefined) return yield* failed(new CampaignUnreadable(hidden))
  const campaign = adverts.find(({ id }) => id === advert_id)
  if (campaign !== undefined) return campaign
  return yield* failed(new AdsNotFound({ status: 404, detail: `there is no campaign ${advert_id}`, fields: [] }))
})

/** The money of a campaign; null if it cannot be read for any reason. */
export const readBudget = (advert_id: number) =>
  MarketplaceAds.use((ads) => Budget.readBudget(ads, advert_id)).pipe(Effect.orElseSucceed(() => null))

export const listCampaigns = Tool.make("ads_list_campaigns", {
  title: "List campaigns",
  description: "List campaigns (кампании), one row each",
  annotations: reads,
  arguments: {
    statuses: optional(
      Schema.Array(Schema.Literals(Object.values(status))).annotate({
        inputSchema: {
          type: "array",
          items: { type: "integer" },
          description: "4 ready, 7 finished, 9 active, 11 paused"
        }
      })
    ),
    ids: optional(advertIds),
    payment_type: optional(PaymentType.annotate({ description: "Pay per view, click" })),
    bid_type: optional(BidType.annotate({ description: "auto: one bid (type 8)" })),
    limit: limit(100),
    offset
  },
  result: campaignsShown,
  run: Effect.fn("ads_list_campaigns")(function* ({ bid_type, limit, offset, ...filter }) {
    const { adverts, unreadable } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2(filter))
    const matches = adverts
      .filter((campaign) => bid_type === undefined || campaign.bid_type === bid_type)
      .toSorted((a, b) => a.id - b.id)
    const page = matches.slice(offset, offset + limit)
    return {
      total: matches.length + unreadable.length,
      campaigns: page.map(campaignRow),
      ...leftOut(unreadable),
      next: more(
        offset + page.length,
        matches.length,
        "ads_get_campaign shows one with its bids; ads_plan_migration plans the move of those with one bid"
      )
    }
  }, orRefuse)
})

export const getCampaign = Tool.make("ads_get_campaign", {
  title: "Get campaign",
  description: "Read one campaign with its articles, bids and budget",
  annotations: reads,
  arguments: { advert_id: advertId, limit: limit(100), offset },
  result: campaignShown,
  run: Effect.fn("ads_get_campaign")(function* ({ advert_id, limit, offset }) {
    const campaign = yield* readCampaign(advert_id)
    const articles = articlesOf(campaign)
    const page = articles.slice(offset, offset + limit)
    return {
      ...campaignRow(campaign),
      created: campaign.timestamps?.created ?? null,
      budget: budgetShown(campaign, yield* readBudget(advert_id)),
      total: articles.length,
      articles: page.map((article) => articleRow(campaign, article)),
      next: more(
        offset + page.length,
        articles.length,
        "ads_plan_bids, ads_plan_minus_phrases and ads_plan_products plan changes; ads_report shows what it brings"
      )
    }
  }, orRefuse)
})
