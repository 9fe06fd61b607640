import { Clock, DateTime, Effect } from "effect"

import { abridged } from "../../internal/foreignText.ts"
import { fitted } from "../../internal/json/values.ts"
import type { Describing } from "../Driver.ts"
import type { Plan, Step } from "../Plan.ts"

/** A moment in milliseconds since 1970 as ISO text. */
export const moment = (ms: number): string => DateTime.formatIso(DateTime.makeUnsafe(ms))

/** How to go on with a list: with its next rows, or from its end. */
export const more = (shown: number, total: number, then: string): string =>
  shown < total ? `Repeat with offset ${shown} for more` : then

/** A step in one row. */
export const stepRow = <C>({ describe }: Describing<C>, { change, id, reason }: Step<C>) => ({
  step: id,
  ...describe(change),
  reason
})

const few = 10

/** Bytes for the first steps; half of that for what is blocked. */
const ordinaryRoom = 2500

/** A plan in short: how much of what, its first rows, and what to do next. */
export const summary = <C>(describing: Describing<C>, plan: Plan<C>, room = ordinaryRoom) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const counts = new Map<string, number>()
    for (const { change } of plan.steps) {
      const kind = describing.kindOf(change)
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
    const { byRisk, digestOf } = describing
    const digest = digestOf?.(plan.steps)
    const steps = byRisk === undefined ? plan.steps : plan.steps.toSorted(byRisk)
    const first = fitted(
      steps.slice(0, few).map((step) => stepRow(describing, step)),
      room
    )
    return {
      plan_id: plan.id,
      kind: plan.kind,
      ...(digest === undefined ? {} : { digest }),
      steps: plan.steps.length,
      by_kind: Object.fromEntries(counts),
      first_steps: first,
      warnings: shownOf(plan.warnings),
      blocked_count: plan.blocked.length,
      blocked: fitted(plan.blocked.slice(0, few), room / 2),
      estimate: plan.estimate,
      expires_at: moment(plan.expiresAt),
      next: next(plan, describing.readOnlyReason?.(now), first.length)
    }
  })

/** What `summary` says of a plan. */
export type Summary = Effect.Success<ReturnType<typeof summary>>

/** Characters of one warning: one about many things names them all, which only `show_plan` does. */
const longest = 500

const shownOf = (warnings: ReadonlyArray<string>): ReadonlyArray<string> => {
  const shown = fitted(
    warnings.slice(0, few).map((warning) => abridged(warning, longest)),
    ordinaryRoom / 2
  )
  return shown.length === warnings.length
    ? shown
    : [...shown, `${warnings.length - shown.length} more warnings: show_plan with limit shows them all`]
}

const next = <C>(
  { blocked, id, steps, warnings }: Plan<C>,
  readOnlyReason: string | undefined,
  shown: number
): string => {
  if (steps.length === 0) {
    if (blocked.length > 0) return "Nothing can be changed; blocked says why."
    return warnings.length === 0
      ? "Nothing is to change: everything is as wanted already."
      : "Nothing is to change; warnings say more."
  }
  const rest = steps.length > shown ? " show_plan shows the other steps." : ""
  return readOnlyReason === undefined
    ? `Nothing was changed yet. Show this to a person; when they agree, call apply_plan with plan_id ${id} and confirm true.${rest}`
    : `Nothing was changed, and no plan can be applied here: ${readOnlyReason}. Only a person who runs this server can change that.${rest}`
}
