import { Effect, Result } from "effect"

import type { MarketplaceAds } from "./MarketplaceAds.ts"
import { isRefusal, type MarketplaceError } from "./MarketplaceError.ts"
import { rublesTold } from "./money.ts"

/* Reads in which one item that the marketplace does not show does not hide the others. */

/** What a read has found, by the items that were asked for at once, and the items that the marketplace does not show. */
export interface BisectedRead<A, B> {
  readonly found: ReadonlyArray<{ readonly items: ReadonlyArray<A>; readonly answer: B }>
  readonly refused: ReadonlyArray<{ readonly item: A; readonly error: MarketplaceError }>
}

/** So many items refused without one that is shown are no accident of single items. */
const mostRefused = 20

/** Reads many items at once; where the marketplace refuses some, halves of them, and so down to those that are refused. */
export const bisectRead = Effect.fnUntraced(function* <A, B>(
  all: ReadonlyArray<A>,
  read: (items: ReadonlyArray<A>) => Effect.Effect<B, MarketplaceError>
): Effect.fn.Return<BisectedRead<A, B>, MarketplaceError> {
  const found: Array<BisectedRead<A, B>["found"][number]> = []
  const refused: Array<BisectedRead<A, B>["refused"][number]> = []
  const open = all.length === 0 ? [] : [all]
  for (let items = open.pop(); items !== undefined; items = open.pop()) {
    const outcome = yield* Effect.result(read(items))
    if (Result.isSuccess(outcome)) {
      found.push({ items, answer: outcome.success })
      continue
    }
    const { failure } = outcome
    const [item] = items
    const isHopeless = found.length === 0 && refused.length >= mostRefused
    if (isHopeless || item === undefined || !isRefusal(failure)) return yield* failure
    if (items.length === 1) refused.push({ item, error: failure })
    else {
      const middle = Math.ceil(items.length / 2)
      open.push(items.slice(middle), items.slice(0, middle))
    }
  }
  return { found, refused }
})

type Ads = MarketplaceAds["Service"]

/** The money of campaigns, from whichever operation tells it; null where neither knows the campaign. */
export const readBudgets = Effect.fnUntraced(function* (ads: Ads, ids: ReadonlyArray<number>) {
  const newer = yield* Effect.catchIf(ads.getBudgets(ids), isRefusal, () => Effect.succeed([]))
  const known = new Map(newer.map(({ advertId, total }) => [advertId, total]))
  const older = (id: number) =>
    Effect.catchIf(
      Effect.map(ads.getBudget(id), ({ total }) => rublesTold(total)),
      isRefusal,
      () => Effect.succeed(null)
    )
  const budgets = yield* Effect.forEach(ids, (id) => {
    const total = rublesTold(known.get(id))
    return total === null ? older(id) : Effect.succeed(total)
  })
  return new Map(ids.map((id, index) => [id, budgets[index] ?? null]))
})

/** The money of one. */
export const readBudget = (ads: Ads, advert_id: number) =>
  Effect.map(readBudgets(ads, [advert_id]), (budgets) => budgets.get(advert_id) ?? null)
