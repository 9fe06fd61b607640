import { Effect } from "effect"

import type { AmountTold } from "../client/money.ts"
import { readBudgets } from "../client/partialReads.ts"
import type { Ads, Standing } from "./look.ts"
import type { Row } from "./rows.ts"

/** Which campaigns are not deleted that could be, and why: they hold money by now, or nobody can tell. */
export const whyKept = Effect.fnUntraced(function* (
  ads: Ads,
  looked: ReadonlyArray<Row & { readonly standing: Standing }>
) {
  const deletions = looked.flatMap(({ change, standing, step }) =>
    change.kind === "delete" && standing !== "stale" ? [{ target: change.target, standing, step }] : []
  )
  if (deletions.length === 0) return new Map<string, string>()
  const asked = readBudgets(
    ads,
    deletions.map(({ target }) => target)
  )
  const budgets = yield* Effect.orElseSucceed(asked, () => undefined)
  return new Map(
    deletions.flatMap(({ standing, step, target }) => {
      const reason = whyNot(standing, budgets?.get(target))
      return reason === undefined ? [] : [[step, reason] as const]
    })
  )
})

/** Of a budget, or of one that nobody knows (null), or that could not be asked for. */
const whyNot = (standing: Standing, budget: AmountTold | null | undefined): string | undefined => {
  if (budget) return budget.kopecks === 0 ? undefined : holds(budget)
  const isGone = budget === null && standing === "already"
  return isGone ? undefined : unread
}

const unread =
  "its budget cannot be read, and a campaign that may hold money is not deleted: see to it in the cabinet, or do this again later"

const holds = ({ kopecks, odd, rubles }: AmountTold) =>
  odd === undefined
    ? `the campaign holds ${rubles} rub (${kopecks} kopecks), and is not deleted: take them out in the cabinet, then do this again`
    : `its budget is told as ${rubles} rub, which is ${odd}, and it is not deleted: see to it in the cabinet, then do this again`
