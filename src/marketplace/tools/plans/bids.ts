import { Effect, Schema } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { Placement } from "../../client/Campaign.ts"
import { MarketplaceConfig } from "../../client/MarketplaceConfig.ts"
import { type BidWish, planBids } from "../../plan/planBids.ts"
import { orRefuse } from "../errors.ts"
import { checkFloors, id, notEmpty, numberOrText, onBelowFloor, shownAs } from "../parameters.ts"
import { amountFields, amountShown, exactlyOne, kopecksOf } from "./amounts.ts"
import { floorRule, uncheckedFloors } from "./floorRule.ts"
import { campaignsOf } from "./gather.ts"
import { keep, withWarnings } from "./keep.ts"
import * as results from "./results.ts"

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
      "Bids to set: each with exactly one of bid_rubles, bid_kopecks, change_percent",
      {
        advert_id: { type: "integer", description: "Campaign id" },
        nm_id: { type: "integer", description: "Article id" },
        placement: { type: "string", enum: Placement.literals, description: "Needed where the campaign has two" },
        ...amountShown,
        change_percent: {
          type: "number",
          description: "or change in percent: 20 means a fifth more, -10 a tenth less"
        }
      },
      ["advert_id", "nm_id"]
    )
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
    const { campaigns, unreadable } = yield* campaignsOf(changes)
    const isAsking = rule.isAsking(campaigns.length)
    const asked = campaigns.map((campaign) => {
      const own = changes.filter(({ advert_id }) => advert_id === campaign.id)
      return { campaign, nm_ids: [...new Set(own.map(({ nm_id }) => nm_id))] }
    })
    const { floors, warnings } = isAsking ? yield* rule.ask(asked) : { floors: [], warnings: [uncheckedFloors] }
    const wishes = changes.flatMap(wishesOf)
    const draft = planBids({ campaigns, unreadable, wishes, floors, onBelowFloor: rule.onBelowFloor, guards })
    return yield* keep(withWarnings(draft, warnings))
  }, orRefuse)
})

const wishesOf = ({ advert_id, change_percent, nm_id, placement, ...amount }: BidChange): ReadonlyArray<BidWish> => {
  const kopecks = kopecksOf(amount)
  const at = { advert_id, nm_id, ...(placement === undefined ? {} : { placement }) }
  if (kopecks !== undefined) return [{ ...at, to: { kopecks } }]
  return change_percent === undefined ? [] : [{ ...at, to: { percent: 100 + change_percent } }]
}
