import { Effect } from "effect"

import { isRefusal } from "./isRefusal.ts"
import type { MarketplaceAds } from "./MarketplaceAds.ts"
import { moneyFromRubles } from "./money.ts"

/** The money of a campaign, from whichever operation tells it; null where neither knows the campaign. */
export const readBudget = (ads: MarketplaceAds["Service"], advert_id: number) => {
  const older = Effect.map(ads.getBudget(advert_id), ({ total }) => moneyFromRubles(total))
  const newer = Effect.flatMap(ads.getBudgets([advert_id]), (budgets) => {
    const budget = budgets.find(({ advertId }) => advertId === advert_id)
    return budget === undefined ? older : Effect.succeed(moneyFromRubles(budget.total))
  })
  return newer.pipe(
    Effect.catchTag("AdsNotFound", () => older),
    Effect.catchIf(isRefusal, () => Effect.succeed(null))
  )
}
