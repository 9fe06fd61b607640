import { Effect } from "effect"

import { hasClusterBids } from "../../marketplace/Campaign.ts"
import { pairKey } from "../../marketplace/ids.ts"
import { MarketplaceAds } from "../../marketplace/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../marketplace/MarketplaceConfig.ts"
import { type Kopecks, type Rubles, rublesToKopecks } from "../../marketplace/money.ts"
import { type BidWish, planBids } from "../../marketplace/plan/planBids.ts"
import { type ClusterWish, planClusterBids } from "../../marketplace/plan/planClusterBids.ts"
import { reads } from "../annotations.ts"
import * as Tool from "../Tool.ts"
import { InvalidArgument } from "../ToolError.ts"
import { floorRule, keep, pairsOf, uncheckedFloors, withWarnings } from "./gather.ts"
import { type BidChange, bidChanges, checkFloors, clusterChanges, onBelowFloor } from "./parameters.ts"
import { orRefuse } from "./refusal.ts"
import * as results from "./results.ts"

interface Amount {
  readonly bid_rubles?: Rubles
  readonly bid_kopecks?: Kopecks
}

const kopecksOf = ({ bid_kopecks, bid_rubles }: Amount): Kopecks | undefined =>
  bid_kopecks ?? (bid_rubles === undefined ? undefined : rublesToKopecks(bid_rubles))

/** Exactly one way of saying it, or the caller did not mean what we would read. */
const exactlyOne = (index: number, given: ReadonlyArray<unknown>, words: string) =>
  given.filter((value) => value !== undefined).length === 1
    ? Effect.void
    : Effect.fail(new InvalidArgument({ argument: `changes.${index}`, problem: `must have exactly one of ${words}` }))

const campaignsOf = (changes: ReadonlyArray<{ readonly advert_id: number }>) =>
  Effect.map(
    MarketplaceAds.use((ads) => ads.getAdvertsV2({ ids: [...new Set(changes.map(({ advert_id }) => advert_id))] })),
    ({ adverts }) => adverts
  )

export const planBidsTool = Tool.make("ads_plan_bids", {
  title: "Plan bids",
  description: "Plan bids for single articles, held against the lowest bids and the guards. Changes nothing",
  annotations: reads,
  arguments: { changes: bidChanges, on_below_floor: onBelowFloor, check_floors: checkFloors },
  result: results.bidsPlan,
  run: Effect.fn("ads_plan_bids")(function* ({ changes, ...wanted }) {
    for (const [index, { bid_kopecks, bid_rubles, change_percent }] of changes.entries()) {
      yield* exactlyOne(index, [bid_kopecks, bid_rubles, change_percent], "bid_rubles, bid_kopecks, change_percent")
    }
    const rule = yield* floorRule(wanted)
    const { guards } = yield* MarketplaceConfig
    const campaigns = yield* campaignsOf(changes)
    const isAsking = rule.isAsking(campaigns.length)
    const asked = campaigns.map((campaign) => {
      const own = changes.filter(({ advert_id }) => advert_id === campaign.id)
      return { campaign, nm_ids: [...new Set(own.map(({ nm_id }) => nm_id))] }
    })
    const { floors, warnings } = isAsking ? yield* rule.ask(asked) : { floors: [], warnings: [uncheckedFloors] }
    const wishes = changes.flatMap(wishesOf)
    const draft = planBids({ campaigns, wishes, floors, onBelowFloor: rule.onBelowFloor, guards })
    return yield* keep(withWarnings(draft, warnings))
  }, orRefuse)
})

const wishesOf = ({ advert_id, change_percent, nm_id, placement, ...amount }: BidChange): ReadonlyArray<BidWish> => {
  const kopecks = kopecksOf(amount)
  const at = { advert_id, nm_id, ...(placement === undefined ? {} : { placement }) }
  if (kopecks !== undefined) return [{ ...at, to: { kopecks } }]
  return change_percent === undefined ? [] : [{ ...at, to: { percent: 100 + change_percent } }]
}

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
    const campaigns = yield* campaignsOf(changes)
    const there = new Map(pairsOf(campaigns.filter(hasClusterBids)).map((pair) => [pairKey(pair), pair]))
    const items = changes.flatMap((change) => there.get(pairKey(change)) ?? [])
    const { bids } = yield* MarketplaceAds.use((ads) => ads.getNormqueryBids({ items }))
    const wishes = changes.map(({ advert_id, nm_id, norm_query, ...amount }): ClusterWish => {
      return { advert_id, nm_id, norm_query, to: kopecksOf(amount) ?? null }
    })
    return yield* keep(planClusterBids({ campaigns, current: bids, wishes, wire, guards }))
  }, orRefuse)
})
