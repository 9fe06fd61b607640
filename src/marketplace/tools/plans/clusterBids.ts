import { Effect, Schema } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { hasClusterBids, pairsOf, Visible } from "../../client/Campaign.ts"
import { provenUnits } from "../../client/Clusters.ts"
import { type Pair, pairKey } from "../../client/ids.ts"
import { MarketplaceAds } from "../../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../client/MarketplaceConfig.ts"
import { type ClusterWish, planClusterBids } from "../../plan/planClusterBids.ts"
import { orRefuse } from "../errors.ts"
import { id, notEmpty, shownAs } from "../parameters.ts"
import { amountFields, amountShown, exactlyOne, kopecksOf } from "./amounts.ts"
import { campaignsOf } from "./gather.ts"
import { keep } from "./keep.ts"
import * as results from "./results.ts"

const ClusterChange = Schema.Struct({
  advert_id: id,
  nm_id: id,
  norm_query: Visible,
  ...amountFields,
  drop: Schema.optionalKey(Schema.Boolean)
})

const clusterChanges = Schema.Array(ClusterChange)
  .check(notEmpty)
  .annotate(
    shownAs(
      "Cluster bids to set: each with exactly one of bid_rubles, bid_kopecks, drop",
      {
        advert_id: { type: "integer", description: "Campaign id" },
        nm_id: { type: "integer", description: "Article id" },
        norm_query: { type: "string", description: "Search cluster" },
        ...amountShown,
        drop: { type: "boolean", description: "true removes the cluster's own bid" }
      },
      ["advert_id", "nm_id", "norm_query"]
    )
  )

/** The bids of some articles; where they prove no unit, those of more articles are read with them, if they can be (D2). */
const clusterBidsOf = Effect.fnUntraced(function* (items: ReadonlyArray<Pair>, more: ReadonlyArray<Pair>) {
  const ads = yield* MarketplaceAds
  const { bids } = yield* ads.getNormqueryBids({ items })
  if (provenUnits(bids).length > 0 || more.length === items.length) return bids
  return yield* Effect.match(ads.getNormqueryBids({ items: more }), {
    onFailure: () => bids,
    onSuccess: ({ bids: all }) => all
  })
})

export const planClusterBidsTool = Tool.make("ads_plan_cluster_bids", {
  title: "Plan cluster bids",
  description: "Plan bids for search clusters of articles in manual campaigns. Changes nothing",
  annotations: reads,
  arguments: { changes: clusterChanges },
  result: results.clusterBidsPlan,
  run: Effect.fn("ads_plan_cluster_bids")(function* ({ changes }) {
    for (const [index, { bid_kopecks, bid_rubles, drop }] of changes.entries()) {
      yield* exactlyOne(index, [bid_kopecks, bid_rubles, drop || undefined], "bid_rubles, bid_kopecks, drop")
    }
    const { guards, wire } = yield* MarketplaceConfig
    const { campaigns, unreadable } = yield* campaignsOf(changes)
    const pairs = pairsOf(campaigns.filter(hasClusterBids))
    const asked = new Set(changes.map(pairKey))
    const bids = yield* clusterBidsOf(
      pairs.filter((pair) => asked.has(pairKey(pair))),
      pairs
    )
    const wishes = changes.map(({ advert_id, nm_id, norm_query, ...amount }): ClusterWish => {
      return { advert_id, nm_id, norm_query, to: kopecksOf(amount) ?? null }
    })
    return yield* keep(planClusterBids({ campaigns, unreadable, current: bids, wishes, wire, guards }))
  }, orRefuse)
})
