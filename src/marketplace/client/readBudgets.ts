import { Effect } from "effect"

import type { MarketplaceAds } from "./MarketplaceAds.ts"
import { isRefusal } from "./MarketplaceError.ts"
import { isKopecks, type Kopecks, rublesTold } from "./money.ts"

type Ads = MarketplaceAds["Service"]

/** The money of campaigns; null where the marketplace does not tell it, as of campaigns that have ended. */
export const readBudgets = (ads: Ads, ids: ReadonlyArray<number>) =>
  Effect.map(
    Effect.catchIf(ads.getBudgets(ids), isRefusal, () => Effect.succeed([])),
    (budgets) => {
      const totals = new Map(budgets.map(({ advertId, total }) => [advertId, total]))
      return new Map(ids.map((id) => [id, rublesTold(totals.get(id))]))
    }
  )

export const readBudget = (ads: Ads, advert_id: number) =>
  Effect.map(readBudgets(ads, [advert_id]), (budgets) => budgets.get(advert_id) ?? null)

/** The daily limits of campaigns that have one, and null for those that may have one. */
export const readDailyLimits = (ads: Ads) =>
  Effect.map(
    ads.getDailyLimits(),
    (limits) =>
      new Map<number, Kopecks | null>(
        limits.map(({ advertId, dailyLimit, enabled }) => [
          advertId,
          enabled === true && isKopecks(dailyLimit) ? dailyLimit : null
        ])
      )
  )
