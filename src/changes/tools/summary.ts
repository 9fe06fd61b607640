import { Clock, DateTime, Effect } from "effect"

import { grouped } from "../../internal/collections.ts"
import { inSlices } from "../../internal/effects.ts"
import { abridged } from "../../internal/foreignText.ts"
import { fitted, weightOfJson } from "../../internal/json/values.ts"
import { mapSliced, type Sliced } from "../../internal/Sliced.ts"
import { BriefAnswers } from "../../mcp/selection.ts"
import type { Describing } from "../Driver.ts"
import type { Plan, Step } from "../Plan.ts"

/** A moment in milliseconds since 1970 as ISO text. */
export const moment = (ms: number): string => DateTime.formatIso(DateTime.makeUnsafe(ms))

/** The way to go on with a list: with its next rows, or from its end. */
export const more = (count: number, total: number, then: string): string =>
  count < total ? `Repeat with offset ${count} for more` : then

/** A step in one row. */
export const stepRow = <C>({ describe }: Describing<C>, { change, id, reason }: Step<C>) => ({
  step: id,
  ...describe(change),
  reason
})

const few = 10

/** Bytes for the first steps; half of that for what is blocked. */
const ordinaryRoom = 2500

/** Steps that are looked through for others of their kind, and of which the names are shown. */
const mostLikened = 2000
const mostNames = 20

/** A row for every kind of step, each with the names of the others of its kind. */
function* kindRows<C>(describing: Describing<C>, steps: ReadonlyArray<Step<C>>): Sliced<ReadonlyArray<StepRow>> {
  const { likeness } = describing
  if (likeness === undefined) return steps.slice(0, few).map((step) => stepRow(describing, step))
  const likened = yield* mapSliced(
    steps.slice(0, mostLikened),
    (step) => ({ step, ...likeness(step.change) }),
    weightOfJson
  )
  const kinds = [...grouped(likened, ({ key }) => key).values()].slice(0, few)
  return kinds.flatMap(([first, ...others]): ReadonlyArray<StepRow> => {
    if (first === undefined) return []
    const row = stepRow(describing, first.step)
    return [others.length === 0 ? row : { ...row, same_in: namesIn(others.map(({ name }) => name)) }]
  })
}

const namesIn = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length <= mostNames ? names : [...names.slice(0, mostNames), `and ${names.length - mostNames} more`]

type StepRow = ReturnType<typeof stepRow> & { readonly same_in?: ReadonlyArray<string> }

/** A plan in short: how much of what, a row of each kind, and what to do next. */
export const summary = Effect.fnUntraced(function* <C>(describing: Describing<C>, plan: Plan<C>, room = ordinaryRoom) {
  const now = yield* Clock.currentTimeMillis
  const { overview } = describing
  const steps = overview === undefined ? plan.steps : plan.steps.toSorted(overview.byRisk)
  const first = fitted(yield* inSlices(() => kindRows(describing, steps)), room)
  const counts = new Map<string, number>()
  for (const { change } of plan.steps) {
    const kind = describing.kindOf(change)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const digest = overview?.digest(plan.steps)
  // A brief list may hold no show_plan.
  const isMoreToShow = plan.steps.length > first.length && !(yield* BriefAnswers)
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
    next: next(plan, describing.readOnly?.(now)?.reason, isMoreToShow)
  }
})

/** The summary of a plan. */
export type Summary = Effect.Success<ReturnType<typeof summary>>

/** Characters of one warning: one about many things names them all, which only `show_plan` does. */
const longest = 500

const shownOf = (warnings: ReadonlyArray<string>): ReadonlyArray<string> => {
  const shownWarnings = fitted(
    warnings.slice(0, few).map((warning) => abridged(warning, longest)),
    ordinaryRoom / 2
  )
  return shownWarnings.length === warnings.length
    ? shownWarnings
    : [...shownWarnings, `${warnings.length - shownWarnings.length} more warnings: show_plan with limit shows them all`]
}

const next = <C>(
  { blocked, id, steps, warnings }: Plan<C>,
  readOnlyReason: string | undefined,
  isMoreToShow: boolean
): string => {
  if (steps.length === 0) {
    if (blocked.length > 0) return "Nothing can be changed; blocked says why."
    return warnings.length === 0
      ? "Nothing is to change: everything is as wanted already."
      : "Nothing is to change; warnings say more."
  }
  const rest = isMoreToShow ? " show_plan shows the other steps." : ""
  return readOnlyReason === undefined
    ? `Nothing was changed yet. Show this to a person; when they agree, call apply_plan with plan_id ${id} and confirm true.${rest}`
    : `Nothing was changed, and no plan can be applied here: ${readOnlyReason}. Only a person who runs this server can change that.${rest}`
}
