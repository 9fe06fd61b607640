import { Clock, Effect } from "effect"

import { Plans } from "../apply/Plans.ts"
import { startedLately } from "../apply/running.ts"
import { nameOf, status } from "../client/Campaign.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { isBecause, isOfAccount, MarketplaceError } from "../client/MarketplaceError.ts"
import { operations } from "../client/operations.ts"
import type { KeptCampaigns } from "../report/gathering.ts"
import { KeptStatistics } from "../report/KeptStatistics.ts"

/* The campaigns that the brake has to pause, however they come to be known. */

/** A campaign that spends money. */
export interface Running {
  readonly id: number
  readonly name: string
  /** Whether it only may run: nothing could be read. */
  readonly isUnsure?: boolean
}

const nameless = (id: number): Running => ({ id, name: `Campaign ${id}` })

/** Whether campaigns could not be listed, which need not keep them from being paused. */
export const isUnlisted = (error: { readonly _tag: string }): error is MarketplaceError =>
  error instanceof MarketplaceError &&
  error.operation === operations.getAdvertsV2.name &&
  !isOfAccount(error) &&
  !isBecause("AdsNotFound")(error)

const runningIn = ({ adverts, unreadable }: Pick<KeptCampaigns, "adverts" | "unreadable">): ReadonlyArray<Running> => [
  ...adverts
    .filter((campaign) => campaign.status === status.active)
    .map((campaign) => ({ id: campaign.id, name: nameOf(campaign) })),
  // What runs and cannot be read spends money all the same.
  ...unreadable.flatMap(({ advert_id, name }) =>
    advert_id === null ? [] : [{ ...nameless(advert_id), ...(name && { name }) }]
  )
]

/** The campaigns that run, as far as they are counted: that has a limit and a shape of its own. */
const countedNow = Effect.map(
  MarketplaceAds.use((ads) => ads.getCampaignCount()),
  ({ adverts }) =>
    (adverts ?? []).flatMap((group) =>
      group.status === status.active ? (group.advert_list ?? []).map(({ advertId }) => nameless(advertId)) : []
    )
)

/**
 * The campaigns that run. Where they can be neither listed nor counted, those that are named may, and all are those that ran
 * within the last hour.
 */
export const runningNow = (wanted: ReadonlyArray<number> | undefined) => {
  const listed = Effect.map(
    MarketplaceAds.use((ads) => ads.getAdvertsV2({ statuses: [status.active] })),
    runningIn
  )
  const kept = Effect.map(
    KeptStatistics.use((statistics) => statistics.campaigns()),
    runningIn
  )
  const unsure = wanted?.map((id): Running => ({ ...nameless(id), isUnsure: true }))
  return Effect.catchIf(listed, isUnlisted, () =>
    Effect.catch(countedNow, () => (unsure === undefined ? kept : Effect.succeed(unsure)))
  )
}

/** Campaigns whose start was sent and need not show yet. */
export const startedNow = Effect.zipWith(
  Plans.use((plans) => plans.entries),
  Clock.currentTimeMillis,
  (entries, now) => startedLately(entries, now).map(nameless)
)
