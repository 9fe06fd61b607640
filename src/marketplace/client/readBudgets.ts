import { Effect } from "effect"

import type { MarketplaceAds } from "./MarketplaceAds.ts"
import { isRefusal } from "./MarketplaceError.ts"
import { rublesTold } from "./money.ts"

type Ads = MarketplaceAds["Service"]

/** The money of campaigns, from whichever operation returns it; null if neither does. */
export const readBudgets = Effect.fnUntraced(function* (ads: Ads, ids: ReadonlyArray<number>) {
  const newer = yield* Effect.catchIf(ads.getBudgets(ids), isRefusal, () => Effect.succeed([]))
  const totals = new Map(newer.map(({ advertId, total }) => [advertId, total]))
  const older = (id: number) =>
    Effect.catchIf(
      Effect.map(ads.getBudget(id), ({ total }) => rublesTold(total)),
      isRefusal,
      () => Effect.succeed(null)
    )
  const budgets = yield* Effect.forEach(ids, (id) => {
    const total = rublesTold(totals.get(id))
    return total === null ? older(id) : Effect.succeed(total)
  })
  return new Map(ids.map((id, index) => [id, budgets[index] ?? null]))
})

export const readBudget = (ads: Ads, advert_id: number) =>
  Effect.map(readBudgets(ads, [advert_id]), (budgets) => budgets.get(advert_id) ?? null)
