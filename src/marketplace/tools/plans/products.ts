import { Effect } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import { optional } from "../../../mcp/parameters.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { hasClusterBids, pairsOf } from "../../client/Campaign.ts"
import { MarketplaceAds } from "../../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../client/MarketplaceConfig.ts"
import { planProducts } from "../../plan/planProducts.ts"
import { readCampaign } from "../campaigns.ts"
import { orRefuse } from "../errors.ts"
import { advertId, anyNmIds } from "../parameters.ts"
import { phrasesOf } from "./gather.ts"
import { keep, withWarnings } from "./keep.ts"
import * as results from "./results.ts"

export const planProductsTool = Tool.make("ads_plan_products", {
  title: "Plan articles",
  description:
    "Plan which articles to add to and delete from a campaign; the rollback also brings back their bids, phrases and cluster " +
    "bids. Changes nothing",
  annotations: reads,
  arguments: { advert_id: advertId, add_nms: optional(anyNmIds), delete_nms: optional(anyNmIds) },
  result: results.productsPlan,
  run: Effect.fn("ads_plan_products")(function* ({ add_nms = [], advert_id, delete_nms = [] }) {
    if (add_nms.length + delete_nms.length === 0) {
      const problem = "must name articles in add_nms or delete_nms"
      return yield* new InvalidArgument({ argument: "arguments", problem })
    }
    const { guards, wire } = yield* MarketplaceConfig
    const campaign = yield* readCampaign(advert_id)
    const lost = pairsOf([campaign]).filter(({ nm_id }) => delete_nms.includes(nm_id))
    const { items: phrases, warnings } = yield* phrasesOf(lost)
    const items = hasClusterBids(campaign) ? lost : []
    const { bids: clusterBids } = yield* MarketplaceAds.use((ads) => ads.getNormqueryBids({ items }))
    const draft = planProducts({ campaign, add: add_nms, delete: delete_nms, phrases, clusterBids, wire, guards })
    return yield* keep(withWarnings(draft, warnings))
  }, orRefuse)
})
