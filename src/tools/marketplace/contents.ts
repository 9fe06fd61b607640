import { Effect, Schema } from "effect"

import { hasClusterBids, ManualPlacement, PaymentType } from "../../marketplace/Campaign.ts"
import { MarketplaceAds } from "../../marketplace/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../marketplace/MarketplaceConfig.ts"
import { rublesToKopecks } from "../../marketplace/money.ts"
import { planCampaign } from "../../marketplace/plan/planCampaign.ts"
import { planMinusPhrases } from "../../marketplace/plan/planMinusPhrases.ts"
import { planProducts } from "../../marketplace/plan/planProducts.ts"
import { reads } from "../annotations.ts"
import { optional } from "../parameters.ts"
import * as Tool from "../Tool.ts"
import { keep, pairsOf, phrasesOf, withWarnings } from "./gather.ts"
import { advertId, nmIds, rubles } from "./parameters.ts"
import { readCampaign } from "./reads.ts"
import { orRefuse } from "./refusal.ts"
import * as results from "./results.ts"

const mode = Schema.Literals(["merge", "replace", "remove", "clear"]).annotate({
  description: "merge adds to what is there, replace sets exactly these, remove takes these out, clear takes all out"
})

export const planMinusPhrasesTool = Tool.make("ads_plan_minus_phrases", {
  title: "Plan minus-phrases",
  description: "Plan minus-phrases for all or some articles of a campaign, one step per article. Changes nothing",
  annotations: reads,
  arguments: {
    advert_id: advertId,
    nm_ids: optional(nmIds),
    phrases: optional(Schema.Array(Schema.String).annotate({ description: "Phrases; none with mode clear" })),
    mode
  },
  result: results.phrasesPlan,
  run: Effect.fn("ads_plan_minus_phrases")(function* ({ advert_id, mode, nm_ids, phrases = [] }) {
    const { guards } = yield* MarketplaceConfig
    const campaign = yield* readCampaign(advert_id)
    const { items, warnings } = yield* phrasesOf(pairsOf([campaign]))
    const only = nm_ids === undefined ? {} : { nm_ids }
    const draft = planMinusPhrases({ campaigns: [campaign], ...only, current: items, phrases, mode, guards })
    return yield* keep(withWarnings(draft, warnings))
  }, orRefuse)
})

export const planProductsTool = Tool.make("ads_plan_products", {
  title: "Plan articles",
  description:
    "Plan which articles to add to and delete from a campaign; the way back also brings back their bids, phrases and cluster " +
    "bids. Changes nothing",
  annotations: reads,
  arguments: { advert_id: advertId, add_nms: optional(nmIds), delete_nms: optional(nmIds) },
  result: results.productsPlan,
  run: Effect.fn("ads_plan_products")(function* ({ add_nms = [], advert_id, delete_nms = [] }) {
    const { guards } = yield* MarketplaceConfig
    const campaign = yield* readCampaign(advert_id)
    const lost = pairsOf([campaign]).filter(({ nm_id }) => delete_nms.includes(nm_id))
    const { items: phrases, warnings } = yield* phrasesOf(lost)
    const items = hasClusterBids(campaign) ? lost : []
    const { bids: clusterBids } = yield* MarketplaceAds.use((ads) => ads.getNormqueryBids({ items }))
    const draft = planProducts({ campaign, add: add_nms, delete: delete_nms, phrases, clusterBids, guards })
    return yield* keep(withWarnings(draft, warnings))
  }, orRefuse)
})

const searchOnly: ReadonlyArray<ManualPlacement> = ["search"]

export const planCampaignTool = Tool.make("ads_plan_campaign", {
  title: "Plan new campaign",
  description:
    "Plan a new campaign of type 9 with manual bids; it is made without money and not started. Changes nothing",
  annotations: reads,
  arguments: {
    name: Schema.NonEmptyString.annotate({ description: "Name, at most 100 characters, not taken yet" }),
    nms: nmIds,
    placements: optional(Schema.Array(ManualPlacement).annotate({ description: "Default search" })),
    payment_type: optional(PaymentType.annotate({ description: "Default cpm" })),
    bid_rubles: optional(rubles("First bid of every article in rubles; default the lowest"))
  },
  result: results.campaignPlan,
  run: Effect.fn("ads_plan_campaign")(function* ({
    bid_rubles,
    name,
    nms,
    payment_type = "cpm",
    placements = searchOnly
  }) {
    const { guards } = yield* MarketplaceConfig
    const { adverts } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
    const bid = bid_rubles === undefined ? {} : { bid: rublesToKopecks(bid_rubles) }
    return yield* keep(planCampaign({ name, nms, payment_type, placements, ...bid, existing: adverts, guards }))
  }, orRefuse)
})
