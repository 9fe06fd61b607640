import { Effect } from "effect"

import { readBudget } from "../readBudget.ts"
import type { Located } from "./Located.ts"
import type { Ads, Standing } from "./look.ts"

/** Why a campaign is not deleted that could be: it holds money by now, or nobody can tell. */
export const whyKept = Effect.fnUntraced(function* (ads: Ads, change: Located, standing: Standing) {
  if (change.kind !== "delete" || standing === "stale") return undefined
  const budget = yield* Effect.orElseSucceed(readBudget(ads, change.target), () => "unread" as const)
  const isGone = budget === null && standing === "already"
  if (isGone) return undefined
  if (budget === null || budget === "unread") {
    return "its budget cannot be read, and a campaign that may hold money is not deleted: see to it in the cabinet, or do this again later"
  }
  const { kopecks, rubles } = budget
  return kopecks > 0
    ? `the campaign holds ${rubles} rub (${kopecks} kopecks), and is not deleted: take them out in the cabinet, then do this again`
    : undefined
})
