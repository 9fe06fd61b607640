import { Effect, Schema } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import { optional } from "../../../mcp/parameters.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { ManualPlacement, PaymentType, Visible } from "../../client/Campaign.ts"
import { MarketplaceAds } from "../../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../client/MarketplaceConfig.ts"
import { rublesToKopecks } from "../../client/money.ts"
import { planCampaign } from "../../plan/planCampaign.ts"
import { orRefuse } from "../errors.ts"
import { nmIds, notEmpty, rubles } from "../parameters.ts"
import { keep } from "./keep.ts"
import * as results from "./results.ts"

const searchOnly: ReadonlyArray<ManualPlacement> = ["search"]

export const planCampaignTool = Tool.make("ads_plan_campaign", {
  title: "Plan new campaign",
  description:
    "Plan a new campaign of type 9 with manual bids; it is made without money and not started. Changes nothing",
  annotations: reads,
  arguments: {
    name: Visible.annotate({ description: "Name, at most 100 characters, not taken yet" }),
    nms: nmIds,
    placements: optional(Schema.Array(ManualPlacement).check(notEmpty).annotate({ description: "Default search" })),
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
    const { adverts: existing, unreadable } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
    const bid = bid_rubles === undefined ? {} : { bid: rublesToKopecks(bid_rubles) }
    return yield* keep(planCampaign({ name, nms, payment_type, placements, ...bid, existing, unreadable, guards }))
  }, orRefuse)
})
