import { Effect } from "effect"

import { articlesOf, type Campaign, type Placement, paymentOf, placementsOf } from "../../marketplace/Campaign.ts"
import { MarketplaceAds } from "../../marketplace/MarketplaceAds.ts"
import { readOnlyReason } from "../../marketplace/MarketplaceClient.ts"
import { MarketplaceConfig } from "../../marketplace/MarketplaceConfig.ts"
import type { Floor } from "../../marketplace/plan/floors.ts"
import type { Draft, Plan } from "../../marketplace/plan/Plan.ts"
import { Plans } from "../../marketplace/plan/Plans.ts"
import { planSummary } from "./shown.ts"

/** The lowest bids of some articles of a campaign, at its own placements where none are given. */
export const floorsOf = Effect.fnUntraced(function* (
  campaign: Campaign,
  nm_ids: ReadonlyArray<number>,
  placements: ReadonlyArray<Placement> = placementsOf(campaign)
) {
  const payment_type = paymentOf(campaign)
  const { bids } = yield* MarketplaceAds.use((ads) =>
    ads.getBidsMin({ advert_id: campaign.id, nm_ids, payment_type, placement_types: placements })
  )
  return bids.flatMap(({ bids: lowest, nm_id }): ReadonlyArray<Floor> =>
    placements.flatMap((placement) => {
      const kopecks = lowest.find(({ type }) => type === placement)?.value
      return kopecks === undefined ? [] : [{ nm_id, placement, payment_type, kopecks }]
    })
  )
})

/** Every article of the campaigns, as pairs to ask for. */
export const pairsOf = (campaigns: ReadonlyArray<Campaign>) =>
  campaigns.flatMap((campaign) => articlesOf(campaign).map(({ nm_id }) => ({ advert_id: campaign.id, nm_id })))

/** A plan in short, with what to do next. */
export const summary = (plan: Plan) =>
  Effect.map(MarketplaceConfig, (settings) => planSummary(plan, readOnlyReason(settings) !== undefined))

/** Keeps a draft as a plan and shows it in short. */
export const keep = (draft: Draft) =>
  Effect.flatMap(
    Plans.use((plans) => plans.keep(draft)),
    summary
  )

/** So many campaigns are asked for their lowest bids without being told to; more would outlast a caller's patience. */
export const askedUnbidden = 20

export const uncheckedFloors =
  "The lowest bids were not asked for, because there are many campaigns: an apply stops at a bid that is too low. " +
  "Set check_floors to true to ask first."

export const withWarnings = (draft: Draft, warnings: ReadonlyArray<string>): Draft => ({
  ...draft,
  warnings: [...draft.warnings, ...warnings]
})
