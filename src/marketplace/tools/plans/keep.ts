import { Clock, Effect } from "effect"

import { Plans } from "../../apply/Plans.ts"
import { readOnlyReason } from "../../client/keyRules.ts"
import { MarketplaceConfig } from "../../client/MarketplaceConfig.ts"
import type { Draft, Plan } from "../../plan/Plan.ts"
import { moment } from "../shown.ts"
import { stepRow } from "./stepRow.ts"

/** A plan in short, with what to do next. */
export const summary = (plan: Plan) =>
  Effect.gen(function* () {
    return inShort(plan, readOnlyReason(yield* MarketplaceConfig, yield* Clock.currentTimeMillis))
  })

/** Keeps a draft as a plan and shows it in short. */
export const keep = (draft: Draft) =>
  Effect.flatMap(
    Plans.use((plans) => plans.keep(draft)),
    summary
  )

/** The draft with more to say about it. */
export const withWarnings = (draft: Draft, warnings: ReadonlyArray<string>): Draft => ({
  ...draft,
  warnings: [...draft.warnings, ...warnings]
})

const few = 10

/** How much of what, its first rows, and what to do next. */
const inShort = (plan: Plan, readOnlyReason: string | undefined) => {
  const counts = new Map<string, number>()
  for (const { change } of plan.steps) counts.set(change.kind, (counts.get(change.kind) ?? 0) + 1)
  return {
    plan_id: plan.id,
    kind: plan.kind,
    steps: plan.steps.length,
    by_kind: Object.fromEntries(counts),
    first_steps: plan.steps.slice(0, few).map(stepRow),
    warnings: shownOf(plan.warnings),
    blocked_count: plan.blocked.length,
    blocked: plan.blocked.slice(0, few),
    estimate: plan.estimate,
    expires_at: moment(plan.expiresAt),
    next: next(plan, readOnlyReason)
  }
}

const shownOf = (warnings: ReadonlyArray<string>): ReadonlyArray<string> =>
  warnings.length <= few
    ? warnings
    : [...warnings.slice(0, few), `${warnings.length - few} more warnings: ads_show_plan shows them all`]

const next = ({ blocked, id, steps }: Plan, readOnlyReason: string | undefined): string => {
  if (steps.length === 0) {
    return blocked.length === 0
      ? "Nothing is to change: everything is as wanted already."
      : "Nothing can be changed; blocked says why."
  }
  const rest = steps.length > few ? " ads_show_plan shows the other steps." : ""
  return readOnlyReason === undefined
    ? `Nothing was changed yet. Show this to a person; when they agree, call ads_apply_plan with plan_id ${id} and confirm true.${rest}`
    : `Nothing was changed, and no plan can be applied here: ${readOnlyReason}. Only a person who runs this server can change that.${rest}`
}
