import { Effect, Schema } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import { optional } from "../../../mcp/parameters.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { hasClusterBids, ManualPlacement, pairsOf, PaymentType, Visible } from "../../client/Campaign.ts"
import { clusterWire } from "../../client/keyRules.ts"
import { MarketplaceAds } from "../../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../client/MarketplaceConfig.ts"
import { rublesToKopecks } from "../../client/money.ts"
import { planCampaign } from "../../plan/planCampaign.ts"
import { planMinusPhrases } from "../../plan/planMinusPhrases.ts"
import { planProducts } from "../../plan/planProducts.ts"
import { readCampaign } from "../campaigns.ts"
import { orRefuse } from "../errors.ts"
import { advertId, anyNmIds, nmIds, rubles, words } from "../parameters.ts"
import { bidSteps, campaignPlan, keep, phrasesOf, phrasesPlan, productsPlan, withWarnings } from "./planning.ts"

const mode = Schema.Literals(["merge", "replace", "remove", "clear"]).annotate({
  description: "merge adds, clear takes all out"
})

export const planMinusPhrasesTool = Tool.make("ads_plan_minus_phrases", {
  title: "Plan minus-phrases",
  description: "Plan minus-phrases (минус-фразы) of articles of a campaign",
  annotations: reads,
  arguments: {
    advert_id: advertId,
    nm_ids: optional(nmIds),
    phrases: optional(Schema.Array(Schema.String).annotate({ description: "Not with clear" })),
    mode
  },
  result: phrasesPlan,
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
  description: "Plan which articles (товары) join and leave a campaign",
  annotations: reads,
  arguments: { advert_id: advertId, add_nms: optional(anyNmIds("Join")), delete_nms: optional(anyNmIds("Leave")) },
  result: productsPlan,
  run: Effect.fn("ads_plan_products")(function* ({ add_nms = [], advert_id, delete_nms = [] }) {
    if (add_nms.length + delete_nms.length === 0) {
      const problem = "must name articles in add_nms or delete_nms"
      return yield* new InvalidArgument({ argument: "arguments", problem })
    }
    const settings = yield* MarketplaceConfig
    const { guards } = settings
    const wire = clusterWire(settings)
    const campaign = yield* readCampaign(advert_id)
    const lost = pairsOf([campaign]).filter(({ nm_id }) => delete_nms.includes(nm_id))
    const { items: phrases, warnings } = yield* phrasesOf(lost)
    const items = hasClusterBids(campaign) ? lost : []
    const { bids: clusterBids } = yield* MarketplaceAds.use((ads) => ads.getNormqueryBids({ items }))
    const draft = planProducts({ campaign, add: add_nms, delete: delete_nms, phrases, clusterBids, wire, guards })
    return yield* keep(withWarnings(draft, warnings))
  }, orRefuse)
})

const searchOnly: ReadonlyArray<ManualPlacement> = ["search"]

export const planCampaignTool = Tool.make("ads_plan_campaign", {
  title: "Plan new campaign",
  description: "Plan a new campaign (создать) with manual bids, not started",
  annotations: reads,
  arguments: {
    name: Visible.annotate({ inputSchema: { type: "string", description: "Not taken yet" } }),
    nms: nmIds,
    placements: optional(words(ManualPlacement, "Default search")),
    payment_type: optional(PaymentType.annotate({ description: "Default cpm" })),
    bid_rubles: optional(rubles("First bid; default the lowest"))
  },
  result: campaignPlan,
  run: Effect.fn("ads_plan_campaign")(function* ({
    bid_rubles,
    name,
    nms,
    payment_type = "cpm",
    placements = searchOnly
  }) {
    const { guards } = yield* MarketplaceConfig
    const { adverts: existing, unreadable } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
    const bid = bid_rubles === undefined ? {} : { bid: rublesToKopecks(bid_rubles) }
    const wishes = { name, nms, payment_type, placements, ...bid }
    return yield* keep(planCampaign({ ...wishes, steps: yield* bidSteps, existing, unreadable, guards }))
  }, orRefuse)
})
