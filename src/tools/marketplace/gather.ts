import { Effect } from "effect"

import { articlesOf, type Campaign, type Placement } from "../../marketplace/Campaign.ts"
import { readOnlyReason } from "../../marketplace/MarketplaceClient.ts"
import { MarketplaceConfig } from "../../marketplace/MarketplaceConfig.ts"
import { LowestBids } from "../../marketplace/plan/LowestBids.ts"
import type { Draft, Plan } from "../../marketplace/plan/Plan.ts"
import { Plans } from "../../marketplace/plan/Plans.ts"
import { Progress } from "../Progress.ts"
import { planSummary } from "./shown.ts"

/** What to ask the lowest bids of, campaign by campaign. */
export interface Asked {
  readonly campaign: Campaign
  readonly nm_ids: ReadonlyArray<number>
  readonly placements?: ReadonlyArray<Placement>
}

/** The lowest bids of several campaigns; tells how far it has come, for it may take minutes. */
export const floorsOf = Effect.fnUntraced(function* (asked: ReadonlyArray<Asked>) {
  const { of } = yield* LowestBids
  const tell = yield* Progress
  const floors = yield* Effect.forEach(asked, ({ campaign, nm_ids, placements }, index) =>
    Effect.tap(of(campaign, nm_ids, placements), () => tell({ progress: index + 1, total: asked.length }))
  )
  return floors.flat()
})

/** Every article of the campaigns, as pairs to ask for. */
export const pairsOf = (campaigns: ReadonlyArray<Campaign>) =>
  campaigns.flatMap((campaign) => articlesOf(campaign).map(({ nm_id }) => ({ advert_id: campaign.id, nm_id })))

/** A plan in short, with what to do next. */
export const summary = (plan: Plan) =>
  Effect.map(MarketplaceConfig, (settings) => planSummary(plan, readOnlyReason(settings)))

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
