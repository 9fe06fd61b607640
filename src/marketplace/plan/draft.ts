import { Array as Arrays } from "effect"

import { lazy } from "../../internal/caching.ts"
import type { Guards } from "../client/MarketplaceConfig.ts"
import { kopecksToRubles } from "../client/money.ts"
import { estimate } from "./batches.ts"
import { type Change, changeKey, invert, order, workOf } from "./Change.ts"
import type { ClusterUnit } from "./clusterUnit.ts"
import { bidBefore, guardProblem, tooMany } from "./guards.ts"
import type { Blocked, Draft, PlanKind, Step } from "./Plan.ts"

/** A planner's finding for one thing that was requested. */
export type Finding =
  | { readonly change: Change; readonly reason: string; readonly undo?: ReadonlyArray<Change> }
  | { readonly warning: string }
  | Blocked

/** A draft from findings: guarded, in the order of work, the same for the same findings in any order. */
export const draft = <const K extends PlanKind>(
  kind: K,
  guards: Guards,
  findings: ReadonlyArray<Finding>,
  unit?: ClusterUnit
): Draft & { readonly kind: K } => {
  const steps = new Map<string, Step>()
  const warnings = new Set<string>()
  const blocked = new Map<string, Blocked>()
  for (const finding of findings) {
    if ("warning" in finding) warnings.add(finding.warning)
    else if ("what" in finding) blocked.set(`${finding.what}: ${finding.reason}`, finding)
    else {
      const { change, reason, undo = invert(change) } = finding
      const id = changeKey(change)
      const problem = guardProblem(guards, change, unit)
      if (problem === undefined) steps.set(id, { id, change, reason, undo })
      else blocked.set(id, { what: id, reason: problem })
    }
  }
  const [problem] = tooMany(guards, steps.size)
  if (problem !== undefined) blocked.set(problem, { what: "the whole plan", reason: problem })
  const planned = problem === undefined ? [...steps.values()].toSorted(byWork) : []
  for (const warning of [...irreversibleWarnings(planned, unit), ...firstBids(planned)]) warnings.add(warning)
  return {
    kind,
    steps: planned,
    ...(unit?.isProven === true ? { premise: { unit: unit.unit } } : {}),
    estimate: estimate(planned),
    warnings: [...warnings].toSorted(),
    blocked: [...blocked.values()].toSorted((a, b) => compare(a.what, b.what) || compare(a.reason, b.reason))
  }
}

/** The first bid at a placement has no previous value that would reveal a typo: a person has to check it. */
const firstBids = (steps: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const first = steps.flatMap(({ change, id }) =>
    (change.kind === "bid" || change.kind === "cluster") && change.after !== null && bidBefore(change) === null
      ? [{ id, bid: change.after }]
      : []
  )
  const [highest] = first.toSorted((a, b) => b.bid - a.bid)
  if (highest === undefined) return []
  return [
    `Nothing is known to measure first bids against (${first.length}, the highest ${kopecksToRubles(highest.bid)} rub at ` +
      `${highest.id}): of the guards only maxBidKopecks holds for them`
  ]
}

/** Warnings about what a rollback will not restore. */
const irreversibleWarnings = (steps: ReadonlyArray<Step>, unit: ClusterUnit | undefined): ReadonlyArray<string> =>
  Object.entries(Arrays.groupBy(irreversible(steps, unit?.unit), ({ reason }) => reason)).map(
    ([reason, [first, ...others]]) => {
      const more = others.length === 0 ? "" : ` and ${others.length} more`
      return `A rollback cannot undo ${first.what}${more}: ${reason}`
    }
  )

/** The findings for each request; a place with several requests is blocked, as it is unclear which one is meant. */
export const forEachPlace = <A>(
  wishes: ReadonlyArray<A>,
  placeOf: (wish: A) => string,
  find: (wish: A, place: string) => ReadonlyArray<Finding>
): ReadonlyArray<Finding> =>
  Object.entries(Arrays.groupBy(wishes, placeOf)).flatMap(([place, [wish, ...others]]) =>
    others.length === 0 ? find(wish, place) : [{ what: place, reason: `it is asked for ${others.length + 1} times` }]
  )

/** By kind of work, then by campaign and article, so that neighbours share a call; a pair of campaigns stays together. */
export const byWork = (a: Step, b: Step): number =>
  rankOf(a.change) - rankOf(b.change) || pairOf(a.change) - pairOf(b.change) || compareNatural(a.id, b.id)

const rankOf = (change: Change): number => {
  const work = workOf(change)
  return order.indexOf(work === "pause" ? "start" : work)
}

/** The number by which starts and pauses are ordered: the same for both of a pair. */
const pairOf = (change: Change): number => {
  if (change.kind !== "state" || typeof change.target !== "number") return 0
  return Math.min(change.target, change.partner ?? Infinity)
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
/** Made at the first use, as it takes Node some milliseconds. */
const natural = lazy(() => new Intl.Collator("en", { numeric: true }))
const compareNatural = (a: string, b: string): number => natural().compare(a, b) || compare(a, b)

/** Changes that no rollback can undo, with the reason. */
export const irreversible = (
  steps: ReadonlyArray<Step>,
  unit: ClusterUnit["unit"] | undefined
): ReadonlyArray<Blocked> => {
  const added = new Set(
    steps.flatMap(({ change }) => (change.kind === "product" && change.after ? [articleKey(change)] : []))
  )
  const hadNoBid = ({ change }: Step) =>
    change.kind === "bid" &&
    change.before === null &&
    typeof change.target === "number" &&
    !added.has(articleKey(change))
  return steps.flatMap((step): ReadonlyArray<Blocked> => [
    ...(hadNoBid(step) ? [{ what: step.id, reason: "there is no bid before it to go back to" }] : []),
    ...(step.change.kind === "deposit" ? [{ what: step.id, reason: "money that is in a budget stays there" }] : []),
    ...(workOf(step.change) === "end" ? [{ what: step.id, reason: "a campaign that has ended never runs again" }] : []),
    ...step.undo.flatMap((change) => unsendable(change, unit))
  ])
}

const articleKey = ({ nm_id, target }: { readonly nm_id: number; readonly target: unknown }) =>
  `${JSON.stringify(target)}/${nm_id}`

const unsendable = (change: Change, unit: ClusterUnit["unit"] | undefined): ReadonlyArray<Blocked> =>
  unit === "rubles" && change.kind === "cluster" && change.after !== null && change.after % 100 !== 0
    ? [{ what: changeKey(change), reason: `${kopecksToRubles(change.after)} rub cannot be sent in whole rubles` }]
    : []
