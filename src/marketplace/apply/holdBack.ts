import { Effect } from "effect"

import type { Judgement, Row } from "../../changes/Driver.ts"
import type { MarketplaceAds } from "../client/MarketplaceAds.ts"
import type { AmountTold } from "../client/money.ts"
import { readBudgets } from "../client/readBudgets.ts"
import type { Change } from "../plan/Change.ts"

/** Which campaigns are not deleted after all, and why: they hold money by now, or their budget cannot be read. */
export const holdBack = Effect.fnUntraced(function* (
  ads: MarketplaceAds["Service"],
  rows: ReadonlyArray<Row<Change> & { readonly judgement: Judgement }>
) {
  const deletions = rows.flatMap(({ change, judgement, step }) =>
    change.kind === "delete" && typeof change.target === "number" && judgement !== "drift"
      ? [{ target: change.target, judgement, step }]
      : []
  )
  if (deletions.length === 0) return new Map<string, string>()
  const asked = readBudgets(
    ads,
    deletions.map(({ target }) => target)
  )
  const budgets = yield* Effect.orElseSucceed(asked, () => undefined)
  return new Map(
    deletions.flatMap(({ judgement, step, target }) => {
      const reason = whyNot(judgement, budgets?.get(target))
      return reason === undefined ? [] : [[step, reason] as const]
    })
  )
})

/** For a budget, for one that is unknown (null), or that could not be read (undefined). */
const whyNot = (judgement: Judgement, budget: AmountTold | null | undefined): string | undefined => {
  if (budget) return budget.kopecks === 0 ? undefined : holds(budget)
  const isGone = budget === null && judgement === "already"
  return isGone ? undefined : unread
}

const unread =
  "its budget cannot be read, and a campaign that may hold money is not deleted: see to it in the cabinet, or do this again later"

const holds = ({ kopecks, odd, rubles }: AmountTold) =>
  odd === undefined
    ? `the campaign holds ${rubles} rub (${kopecks} kopecks), and is not deleted: take them out in the cabinet, then do this again`
    : `its budget is told as ${rubles} rub, which is ${odd}, and it is not deleted: see to it in the cabinet, then do this again`
