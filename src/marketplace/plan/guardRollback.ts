import type { Guards } from "../client/MarketplaceConfig.ts"
import type { ClusterUnit } from "./clusterUnit.ts"
import { estimate } from "./estimate.ts"
import { dailyProblem, type DayAgo, guardProblem, tooMany } from "./guards.ts"
import type { Blocked, Draft, Step } from "./Plan.ts"

/** A way back goes past the guards, as it restores what was there; where it raises a bid past them, it says so. */
export const warnOfRaises = (guards: Guards, draft: Draft, unit?: ClusterUnit): Draft => {
  const [first, ...others] = draft.steps.filter(isRaise).flatMap((step) => problemOf(guards, step, unit))
  if (first === undefined) return draft
  const more = others.length === 0 ? "" : `, and ${others.length} more`
  const count = others.length + 1
  const warning = `Bids go up past the guards (${count}), because a way back restores what was there: ${first.what}: ${first.reason}${more}`
  return { ...draft, warnings: [...draft.warnings, warning] }
}

/** A way back of a way back goes forward again: what the guards forbid is left out. */
export const holdToGuards = (guards: Guards, draft: Draft, unit?: ClusterUnit): Draft => {
  const { allowed, problems } = parted(draft, ({ change }) => guardProblem(guards, change, unit))
  const surplus = tooMany(guards, allowed.length).map((reason) => ({ what: "the whole plan", reason }))
  return withSteps(draft, surplus.length === 0 ? allowed : [], [...problems, ...surplus])
}

/** What is too much for one day is left out, and may be possible later. */
export const holdToDay = (guards: Guards, draft: Draft, dayAgo: DayAgo): Draft => {
  const { allowed, problems } = parted(draft, ({ change }) => dailyProblem(guards, change, dayAgo))
  return problems.length === 0 ? draft : withSteps(draft, allowed, problems)
}

const parted = ({ steps }: Draft, problemWith: (step: Step) => string | undefined) => {
  const judged = steps.map((step) => ({ step, reason: problemWith(step) }))
  return {
    allowed: judged.flatMap(({ reason, step }) => (reason === undefined ? [step] : [])),
    problems: judged.flatMap(({ reason, step }) => (reason === undefined ? [] : [{ what: step.id, reason }]))
  }
}

const withSteps = (draft: Draft, steps: ReadonlyArray<Step>, problems: ReadonlyArray<Blocked>): Draft => ({
  ...draft,
  steps,
  estimate: estimate(steps),
  blocked: [...draft.blocked, ...problems.map((problem) => ({ ...problem, later: true }))]
})

const isRaise = ({ change }: Step): boolean =>
  (change.kind === "bid" || change.kind === "cluster") && (change.after ?? 0) > (change.before ?? 0)

const problemOf = (guards: Guards, { change, id }: Step, unit: ClusterUnit | undefined) => {
  const reason = guardProblem(guards, change, unit)
  return reason === undefined ? [] : [{ what: id, reason }]
}
