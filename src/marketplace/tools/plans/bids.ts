import { Effect, Schema } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { hasClusterBids, pairsOf, Placement, Visible } from "../../client/Campaign.ts"
import { provenUnits } from "../../client/Clusters.ts"
import { type Pair, pairKey } from "../../client/ids.ts"
import { clusterWire } from "../../client/keyRules.ts"
import { MarketplaceAds } from "../../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../client/MarketplaceConfig.ts"
import { Kopecks, type Rubles, RublesGiven, rublesToKopecks } from "../../client/money.ts"
import { type BidWish, planBids } from "../../plan/planBids.ts"
import { type ClusterWish, planClusterBids } from "../../plan/planClusterBids.ts"
import { orRefuse } from "../errors.ts"
import { checkFloors, id, notEmpty, numberOrText, onBelowFloor, shownAs, whole } from "../parameters.ts"
import { floorRule, uncheckedFloors } from "./floorRule.ts"
import { bidsPlan, bidSteps, campaignsOf, clusterBidsPlan, keep, withWarnings } from "./planning.ts"

/** A bid inside the items of a list, in either unit. */
const amountFields = {
  bid_rubles: Schema.optionalKey(RublesGiven),
  bid_kopecks: Schema.optionalKey(
    whole(0, "must be a whole number of kopecks, not negative").pipe(Schema.decodeTo(Kopecks))
  )
}

/** The unit that lists of tools name: the other one is taken as well. */
const amountShown = { bid_rubles: { type: "number", description: "New bid" } }

interface Amount {
  readonly bid_rubles?: Rubles
  readonly bid_kopecks?: Kopecks
}

/** Undefined if neither unit is given. */
const kopecksOf = ({ bid_kopecks, bid_rubles }: Amount): Kopecks | undefined =>
  bid_kopecks ?? (bid_rubles === undefined ? undefined : rublesToKopecks(bid_rubles))

/** Exactly one of the alternatives must be given: with several, it is unclear which one is meant. */
const exactlyOne = (index: number, given: ReadonlyArray<unknown>, words: string) =>
  given.filter((value) => value !== undefined).length === 1
    ? Effect.void
    : Effect.fail(new InvalidArgument({ argument: `changes.${index}`, problem: `must have exactly one of ${words}` }))

const BidChange = Schema.Struct({
  advert_id: id,
  nm_id: id,
  placement: Schema.optionalKey(Placement),
  ...amountFields,
  change_percent: Schema.optionalKey(
    numberOrText(
      Schema.Number.check(
        Schema.isFinite({ message: "must be a number of percent" }),
        Schema.isGreaterThan(-100, { message: "must be above -100" })
      )
    )
  )
})
type BidChange = typeof BidChange.Type

const bidChanges = Schema.Array(BidChange)
  .check(notEmpty)
  .annotate(
    shownAs(
      "Each with bid_rubles or change_percent",
      {
        advert_id: { type: "integer", description: "Campaign" },
        nm_id: { type: "integer", description: "Article" },
        placement: { type: "string", enum: Placement.literals, description: "Where there are two" },
        ...amountShown,
        change_percent: {
          type: "number",
          description: "-10: a tenth less"
        }
      },
      ["advert_id", "nm_id"]
    )
  )

export const planBidsTool = Tool.make("ads_plan_bids", {
  title: "Plan bids",
  description: "Plan bids (ставки артикулов)",
  annotations: reads,
  arguments: { changes: bidChanges, on_below_floor: onBelowFloor, check_floors: checkFloors },
  result: bidsPlan,
  run: Effect.fn("ads_plan_bids")(function* ({ changes, ...wanted }) {
    for (const [index, { bid_kopecks, bid_rubles, change_percent }] of changes.entries()) {
      yield* exactlyOne(index, [bid_kopecks, bid_rubles, change_percent], "bid_rubles, bid_kopecks, change_percent")
    }
    const rule = yield* floorRule(wanted)
    const { guards } = yield* MarketplaceConfig
    const { campaigns, unreadable } = yield* campaignsOf(changes)
    const isAsking = rule.isAsking(campaigns.length)
    const requests = campaigns.map((campaign) => {
      const inCampaign = changes.filter(({ advert_id }) => advert_id === campaign.id)
      return { campaign, nm_ids: [...new Set(inCampaign.map(({ nm_id }) => nm_id))] }
    })
    const { floors, warnings } = isAsking ? yield* rule.ask(requests) : { floors: [], warnings: [uncheckedFloors] }
    const wishes = changes.flatMap(wishesOf)
    const steps = yield* bidSteps
    const draft = planBids({ campaigns, unreadable, wishes, floors, steps, onBelowFloor: rule.onBelowFloor, guards })
    return yield* keep(withWarnings(draft, warnings))
  }, orRefuse)
})

const wishesOf = ({ advert_id, change_percent, nm_id, placement, ...amount }: BidChange): ReadonlyArray<BidWish> => {
  const kopecks = kopecksOf(amount)
  const at = { advert_id, nm_id, ...(placement === undefined ? {} : { placement }) }
  if (kopecks !== undefined) return [{ ...at, to: { kopecks } }]
  return change_percent === undefined ? [] : [{ ...at, to: { percent: 100 + change_percent } }]
}

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
      "Each with bid_rubles or drop",
      {
        advert_id: { type: "integer", description: "Campaign" },
        nm_id: { type: "integer", description: "Article" },
        norm_query: { type: "string", description: "Search cluster" },
        ...amountShown,
        drop: { type: "boolean", description: "Removes its own bid" }
      },
      ["advert_id", "nm_id", "norm_query"]
    )
  )

/** The bids of some articles; if they prove no unit, those of more articles are read with them, if they can be. */
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
  description: "Plan bids of clusters (ставки кластеров)",
  annotations: reads,
  arguments: { changes: clusterChanges },
  result: clusterBidsPlan,
  run: Effect.fn("ads_plan_cluster_bids")(function* ({ changes }) {
    for (const [index, { bid_kopecks, bid_rubles, drop }] of changes.entries()) {
      yield* exactlyOne(index, [bid_kopecks, bid_rubles, drop || undefined], "bid_rubles, bid_kopecks, drop")
    }
    const settings = yield* MarketplaceConfig
    const { guards } = settings
    const wire = clusterWire(settings)
    const { campaigns, unreadable } = yield* campaignsOf(changes)
    const pairs = pairsOf(campaigns.filter(hasClusterBids))
    const requestedPairs = new Set(changes.map(pairKey))
    const bids = yield* clusterBidsOf(
      pairs.filter((pair) => requestedPairs.has(pairKey(pair))),
      pairs
    )
    const wishes = changes.map(({ advert_id, nm_id, norm_query, ...amount }): ClusterWish => {
      return { advert_id, nm_id, norm_query, to: kopecksOf(amount) ?? null }
    })
    const { cpm: step } = yield* bidSteps
    return yield* keep(planClusterBids({ campaigns, unreadable, current: bids, wishes, wire, step, guards }))
  }, orRefuse)
})
