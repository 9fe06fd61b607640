import type { StoredEntry } from "../../changes/Journal.ts"
import type * as Core from "../../changes/Plan.ts"
import type { Campaign } from "../client/Campaign.ts"
import type { Guards } from "../client/MarketplaceConfig.ts"
import { foreign, Kopecks, kopecksToRubles } from "../client/money.ts"
import { type Change, changeKey } from "./Change.ts"
import type { ClusterUnit } from "./clusterUnit.ts"
import type { Blocked, Step } from "./Plan.ts"

/** The result of a planner or a rollback. */
type Draft = Core.Draft<Change>

/** Whether a campaign may not be changed; without an id it is one that is still to be created. */
export const campaignProblem = ({ allowedCampaigns }: Guards, id?: number): string | undefined => {
  if (allowedCampaigns === undefined || (id !== undefined && allowedCampaigns.includes(id))) return undefined
  const campaign = id === undefined ? "a new campaign" : `campaign ${id}`
  return `guard allowedCampaigns: ${campaign} is not among the campaigns that may be changed${raisedBy("allowedCampaigns")}`
}

/** A twin may be created of a campaign that may be changed, together with its contents. */
const placeProblem = (guards: Guards, change: Change): string | undefined => {
  if (change.kind === "create") return campaignProblem(guards, change.twin_of)
  if (change.kind === "delete") return undefined
  return typeof change.target === "number" ? campaignProblem(guards, change.target) : undefined
}

/** The guard that forbids a change, if any. A cluster bid is checked in both units, unless one is proved. */
export const guardProblem = (guards: Guards, change: Change, unit?: ClusterUnit): string | undefined => {
  const problem = placeProblem(guards, change)
  if (problem !== undefined) return problem
  const isAboutMoney = change.kind === "deposit" || change.kind === "limit"
  if (isAboutMoney && guards.maxTopUpRublesPerDay === undefined) {
    return `guard maxTopUpRublesPerDay: no plan adds money or sets daily limits until it is set${raisedBy("maxTopUpRublesPerDay")}`
  }
  if (change.kind !== "bid" && change.kind !== "cluster") return undefined
  const { after } = change
  if (after === null) return undefined
  const before = bidBefore(change)
  if (after > guards.maxBidKopecks) {
    const most = inRubles(guards.maxBidKopecks)
    return `guard maxBidKopecks: ${inRubles(after)} is above the highest bid of ${most}${raisedBy("maxBidKopecks")}`
  }
  const isOpen = change.kind === "cluster" && unit?.unit === "kopecks" && !unit.isProven
  if (isOpen && after * 100 > guards.maxBidKopecks) {
    return (
      `guard maxBidKopecks: ${inRubles(after)} goes out as the number ${after}, and where the marketplace reads rubles that is ` +
      `${after} rub, above the highest bid of ${inRubles(guards.maxBidKopecks)}; a cluster bid that the marketplace shows in ` +
      `kopecks, such as one set in the cabinet, would prove that it reads kopecks${raisedBy("maxBidKopecks")}`
    )
  }
  const most = guards.maxChangePercent
  return isTooFar(before, after, most)
    ? `guard maxChangePercent: from ${inRubles(before)} to ${inRubles(after)} is more than ${most}%${raisedBy("maxChangePercent")}`
    : undefined
}

/** The bid before the change, if it is known; else null. */
export const bidBefore = (change: Change): Kopecks | null => {
  if (change.kind === "bid") return change.before ?? change.today ?? null
  return change.kind === "cluster" ? change.before : null
}

/** The bids of a day ago by place, if plans have changed them since. */
type DayAgo = ReadonlyMap<string, Kopecks>

/** Whether a change is too large relative to the bid a day ago. */
const dailyProblem = (guards: Guards, change: Change, dayAgo: DayAgo): string | undefined => {
  if (change.kind !== "bid" && change.kind !== "cluster") return undefined
  const { after } = change
  const before = dayAgo.get(changeKey(change)) ?? null
  const most = guards.maxDailyChangePercent
  return after !== null && isTooFar(before, after, most)
    ? `guard maxDailyChangePercent: from ${inRubles(before)} within 24 hours to ${inRubles(after)} is more than ${most}%${raisedBy("maxDailyChangePercent")}`
    : undefined
}

const dayMs = 86_400_000

/** The bids a day before `now` of everything that a plan has sent a change of since. */
export const bidsDayAgo = (entries: ReadonlyArray<StoredEntry<Change>>, now: number): DayAgo => {
  const plans = new Map<string, ReadonlyMap<string, Step>>()
  const bids = new Map<string, Kopecks>()
  for (const entry of entries) {
    if (entry.type === "planned") plans.set(entry.plan_id, new Map(entry.plan.steps.map((step) => [step.id, step])))
    if (entry.type !== "begun" || entry.at <= now - dayMs) continue
    for (const id of entry.steps) {
      const change = plans.get(entry.plan_id)?.get(id)?.change
      const before = change === undefined ? null : bidBefore(change)
      if (before !== null && !bids.has(id)) bids.set(id, before)
    }
  }
  return bids
}

/**
 * Cuts that may raise a bid are left out: a plan has sent a lower one, which need not show yet. Whatever was
 * sent before `shownSince` shows.
 */
export const holdToSent = (draft: Draft, entries: ReadonlyArray<StoredEntry<Change>>, shownSince: number): Draft => {
  const sent = bidsSent(entries, shownSince)
  const { allowed, problems } = parted(draft, ({ change }) => raiseProblem(change, sent))
  return problems.length === 0 ? draft : withSteps(draft, allowed, problems)
}

/** The problem of a cut that may raise a lower bid, which another plan has sent and which need not show yet. */
const raiseProblem = (change: Change, sent: ReadonlyMap<string, Kopecks>): string | undefined => {
  if (change.kind !== "bid" && change.kind !== "cluster") return undefined
  const [before, lately] = [bidBefore(change), sent.get(changeKey(change))]
  const { after } = change
  if (lately === undefined || before === null || after === null || after >= before || after <= lately) return undefined
  return (
    `a plan has sent a bid of ${inRubles(lately)} within the last minutes, and the marketplace still shows ` +
    `${inRubles(before)}: ${inRubles(after)} may raise it. Plan it again once the other bid shows`
  )
}

/** The latest bids that plans have sent since a moment, by place; those of one plan do not count for itself. */
export const bidsSent = (
  entries: ReadonlyArray<StoredEntry<Change>>,
  since: number,
  except?: string
): ReadonlyMap<string, Kopecks> => {
  const plans = new Map<string, ReadonlyMap<string, Step>>()
  const bids = new Map<string, Kopecks>()
  for (const entry of entries) {
    if (entry.type === "planned") plans.set(entry.plan_id, new Map(entry.plan.steps.map((step) => [step.id, step])))
    if (entry.type !== "begun" && entry.type !== "unsent" && entry.type !== "refused") continue
    if (entry.plan_id === except) continue
    for (const id of entry.steps) {
      const change = plans.get(entry.plan_id)?.get(id)?.change
      const after = change?.kind === "bid" || change?.kind === "cluster" ? change.after : null
      if (after !== null && entry.type === "begun" && entry.at > since) bids.set(id, after)
      else bids.delete(id)
    }
  }
  return bids
}

/** The bids that plans have set since a moment, by place, each with the time of the last change. */
export const bidsChangedSince = (
  entries: ReadonlyArray<StoredEntry<Change>>,
  since: number
): ReadonlyMap<string, number> =>
  new Map(
    entries.flatMap((entry) =>
      entry.type === "done" && !entry.found && entry.at >= since
        ? entry.steps.flatMap((id) => (/^(?:bid|cluster) /.test(id) ? [[id, entry.at] as const] : []))
        : []
    )
  )

/** Money that plans have sent to budgets within a day, in rubles, by plan and step; it counts unless it surely was not sent. */
export const topUpsOf = (entries: ReadonlyArray<StoredEntry<Change>>, now: number): ReadonlyMap<string, number> => {
  const plans = new Map<string, ReadonlyMap<string, number>>()
  const sums = new Map<string, number>()
  for (const entry of entries) {
    if (entry.type === "planned") {
      const deposits = entry.plan.steps.flatMap(({ change, id }) =>
        change.kind === "deposit" ? [[id, change.rubles] as const] : []
      )
      if (deposits.length > 0) plans.set(entry.plan_id, new Map(deposits))
    }
    if (entry.type !== "begun" && entry.type !== "done" && entry.type !== "unsent") continue
    if (entry.at <= now - dayMs) continue
    for (const step of entry.steps) {
      const rubles = plans.get(entry.plan_id)?.get(step)
      const key = topUpKey(entry.plan_id, step)
      if (rubles === undefined) continue
      if (entry.type === "unsent") sums.delete(key)
      else sums.set(key, rubles)
    }
  }
  return sums
}

const topUpKey = (plan: string, step: string): string => `${plan} ${step}`

/** The steps that would add more money than is allowed within a day; those of this plan that were sent count once. */
const topUpProblems = (
  { maxTopUpRublesPerDay: most = 0 }: Guards,
  steps: ReadonlyArray<Step>,
  topUps: ReadonlyMap<string, number>,
  plan = ""
): ReadonlyArray<Blocked> => {
  let sum = [...topUps.values()].reduce((a, b) => a + b, 0)
  return steps.flatMap(({ change, id }) => {
    if (change.kind !== "deposit" || topUps.has(topUpKey(plan, id))) return []
    sum += change.rubles
    if (sum <= most) return []
    const reason = `guard maxTopUpRublesPerDay: ${sum} rub within 24 hours are more than ${most}${raisedBy("maxTopUpRublesPerDay")}`
    sum -= change.rubles
    return [{ what: id, reason }]
  })
}

const isTooFar = (before: Kopecks | null, after: Kopecks, percent: number): before is Kopecks =>
  before !== null && before > 0 && Math.abs(after - before) * 100 > percent * before

/** The end of every refusal: which setting would allow the change. */
const raisedBy = (guard: keyof Guards): string => `; only a person can change that, by marketplace.guards.${guard}`

/** Whether there are more changes than one plan may have. */
export const tooMany = ({ maxItemsPerApply }: Guards, count: number): ReadonlyArray<string> =>
  count > maxItemsPerApply
    ? [`guard maxItemsPerApply: ${count} changes are more than ${maxItemsPerApply}${raisedBy("maxItemsPerApply")}`]
    : []

/** Circumstances against which a whole plan is checked, in addition to the guards. */
interface Circumstances {
  /** False for the rollback of a rollback, which moves forward again. */
  readonly isRollback: boolean
  readonly dayAgo: DayAgo
  readonly topUps: ReadonlyMap<string, number>
  /** Bids that other plans have sent and that need not show yet, by place. */
  readonly sent: ReadonlyMap<string, Kopecks>
  readonly unit?: ClusterUnit | undefined
}

/** Problems that forbid a whole plan. Only the list of campaigns applies to a rollback. */
export const planProblems = (
  guards: Guards,
  { id, steps }: Pick<Core.Plan<Change>, "id" | "steps">,
  { dayAgo, isRollback, sent, topUps, unit }: Circumstances
): ReadonlyArray<string> => {
  const checked = isRollback ? { ...guards, maxBidKopecks: anyBid, maxChangePercent: Infinity } : guards
  const broken = steps.flatMap(({ change }) => guardProblem(checked, change, unit) ?? [])
  if (isRollback) return broken
  const daily = steps.flatMap(({ change }) => dailyProblem(guards, change, dayAgo) ?? [])
  const money = topUpProblems(guards, steps, topUps, id).map(({ reason }) => reason)
  const raises = steps.flatMap(({ change }) => raiseProblem(change, sent) ?? [])
  return [...broken, ...daily, ...money, ...raises, ...tooMany(guards, steps.length)]
}

const anyBid = Kopecks.make(Number.MAX_SAFE_INTEGER)
const inRubles = (kopecks: Kopecks): string => `${kopecksToRubles(kopecks)} rub (${kopecks} kopecks)`

/** A rollback is not subject to the guards, as it restores previous values; if it raises a bid past them, it warns. */
export const warnOfRaises = (guards: Guards, draft: Draft, unit?: ClusterUnit): Draft => {
  const [first, ...others] = draft.steps.filter(isRaise).flatMap((step) => problemOf(guards, step, unit))
  if (first === undefined) return draft
  const more = others.length === 0 ? "" : `, and ${others.length} more`
  const count = others.length + 1
  const warning = `Bids go up past the guards (${count}), because a rollback restores what was there: ${first.what}: ${first.reason}${more}`
  return { ...draft, warnings: [...draft.warnings, warning] }
}

/** The rollback of a rollback moves forward again: changes that the guards forbid are left out. */
export const holdToGuards = (guards: Guards, draft: Draft, unit?: ClusterUnit): Draft => {
  const { allowed, problems } = parted(draft, ({ change }) => guardProblem(guards, change, unit))
  const surplus = tooMany(guards, allowed.length).map((reason) => ({ what: "the whole plan", reason }))
  return withSteps(draft, surplus.length === 0 ? allowed : [], [...problems, ...surplus])
}

/** Changes that are too large for one day are left out; they may be possible later. */
export const holdToDay = (
  guards: Guards,
  draft: Draft,
  { dayAgo, topUps }: Pick<Circumstances, "dayAgo" | "topUps">
): Draft => {
  const money = new Map(topUpProblems(guards, draft.steps, topUps).map(({ reason, what }) => [what, reason]))
  const { allowed, problems } = parted(draft, ({ change, id }) => money.get(id) ?? dailyProblem(guards, change, dayAgo))
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
  blocked: [...draft.blocked, ...problems.map((problem) => ({ ...problem, later: true }))]
})

const isRaise = ({ change }: Step): boolean =>
  (change.kind === "bid" || change.kind === "cluster") && (change.after ?? 0) > (change.before ?? 0)

const problemOf = (guards: Guards, { change, id }: Step, unit: ClusterUnit | undefined) => {
  const reason = guardProblem(guards, change, unit)
  return reason === undefined ? [] : [{ what: id, reason }]
}

/** Requests, guards and snapshots are in rubles: amounts in another currency are not compared with them. */
export const currencyProblem = ({ currency, id }: Campaign): string | undefined => {
  const other = foreign(currency)
  return other === undefined
    ? undefined
    : `the money of campaign ${id} is in ${other}, and plans and guards count rubles: set its bids in the seller's cabinet`
}
