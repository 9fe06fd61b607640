import { Effect } from "effect"

import type { Money } from "../money.ts"
import { readBudget } from "../readBudget.ts"
import type { Ads, Standing } from "./look.ts"
import type { Row } from "./rows.ts"

/** Which campaigns are not deleted that could be, and why: they hold money by now, or nobody can tell. */
export const whyKept = Effect.fnUntraced(function* (
  ads: Ads,
  looked: ReadonlyArray<Row & { readonly standing: Standing }>
) {
  const kept = new Map<string, string>()
  for (const { change, standing, step } of looked) {
    if (change.kind !== "delete" || standing === "stale") continue
    const budget = yield* Effect.orElseSucceed(readBudget(ads, change.target), () => "unread" as const)
    const isGone = budget === null && standing === "already"
    if (isGone) continue
    if (budget === null || budget === "unread") kept.set(step, unread)
    else if (budget.kopecks > 0) kept.set(step, holds(budget))
  }
  return kept
})

const unread =
  "its budget cannot be read, and a campaign that may hold money is not deleted: see to it in the cabinet, or do this again later"

const holds = ({ kopecks, rubles }: Money) =>
  `the campaign holds ${rubles} rub (${kopecks} kopecks), and is not deleted: take them out in the cabinet, then do this again`
