import type { Guards } from "../MarketplaceConfig.ts"
import type { ClusterUnit } from "./clusterUnit.ts"
import { estimate } from "./estimate.ts"
import { guardProblem, tooMany } from "./guards.ts"
import type { Draft, Step } from "./Plan.ts"

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
  const problems = draft.steps.flatMap((step) => problemOf(guards, step, unit))
  const forbidden = new Set(problems.map(({ what }) => what))
  const allowed = draft.steps.filter(({ id }) => !forbidden.has(id))
  const surplus = tooMany(guards, allowed.length).map((reason) => ({ what: "the whole plan", reason }))
  const steps = surplus.length === 0 ? allowed : []
  const later = [...problems, ...surplus].map((problem) => ({ ...problem, later: true }))
  return { ...draft, steps, estimate: estimate(steps), blocked: [...draft.blocked, ...later] }
}

const isRaise = ({ change }: Step): boolean =>
  (change.kind === "bid" || change.kind === "cluster") && (change.after ?? 0) > (change.before ?? 0)

const problemOf = (guards: Guards, { change, id }: Step, unit: ClusterUnit | undefined) => {
  const reason = guardProblem(guards, change, unit)
  return reason === undefined ? [] : [{ what: id, reason }]
}
