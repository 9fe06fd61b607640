import type { Guards } from "../MarketplaceConfig.ts"
import { Kopecks, kopecksToRubles } from "../money.ts"
import type { Change } from "./Change.ts"
import type { ClusterUnit } from "./clusterUnit.ts"
import type { Step } from "./Plan.ts"

/** Whether a campaign is not among those that may be changed; without an id it is one that is still to be created. */
export const campaignProblem = ({ allowedCampaigns }: Guards, id?: number): string | undefined => {
  if (allowedCampaigns === undefined || (id !== undefined && allowedCampaigns.includes(id))) return undefined
  const campaign = id === undefined ? "a new campaign" : `campaign ${id}`
  return `guard allowedCampaigns: ${campaign} is not among the campaigns that may be changed`
}

/** A twin may be made of a campaign that may be changed, and what is in it comes with it. */
const placeProblem = (guards: Guards, change: Change): string | undefined => {
  if (change.kind === "create") return campaignProblem(guards, change.twin_of)
  if (change.kind === "delete") return undefined
  return typeof change.target === "number" ? campaignProblem(guards, change.target) : undefined
}

/**
 * Which rule of the configuration forbids a change; nothing if none does. A cluster bid is held against both its readings,
 * unless one is proven (D2).
 */
export const guardProblem = (guards: Guards, change: Change, unit?: ClusterUnit): string | undefined => {
  const problem = placeProblem(guards, change)
  if (problem !== undefined) return problem
  if (change.kind !== "bid" && change.kind !== "cluster") return undefined
  const { after } = change
  if (after === null) return undefined
  const before = change.before ?? (change.kind === "bid" ? change.today : undefined) ?? null
  if (after > guards.maxBidKopecks) {
    return `guard maxBidKopecks: ${inRubles(after)} is above the highest bid of ${inRubles(guards.maxBidKopecks)}`
  }
  const isOpen = change.kind === "cluster" && unit?.unit === "kopecks" && !unit.isProven
  if (isOpen && after * 100 > guards.maxBidKopecks) {
    return (
      `guard maxBidKopecks: ${inRubles(after)} goes out as the number ${after}, and where the marketplace reads rubles that is ` +
      `${after} rub, above the highest bid of ${inRubles(guards.maxBidKopecks)}; a cluster bid that the marketplace shows in ` +
      "kopecks, such as one set in the cabinet, would prove that it reads kopecks"
    )
  }
  const most = guards.maxChangePercent
  if (most !== undefined && before !== null && before > 0 && Math.abs(after - before) * 100 > most * before) {
    return `guard maxChangePercent: from ${inRubles(before)} to ${inRubles(after)} is more than ${most}%`
  }
  return undefined
}

/** Whether there are more changes than one plan may hold. */
export const tooMany = ({ maxItemsPerApply }: Guards, count: number): ReadonlyArray<string> =>
  count > maxItemsPerApply ? [`guard maxItemsPerApply: ${count} changes are more than ${maxItemsPerApply}`] : []

/** What forbids a whole plan. Where one leads to what was there before, only the list of campaigns holds for it. */
export const planProblems = (
  guards: Guards,
  steps: ReadonlyArray<Step>,
  isLeadingBack: boolean,
  unit?: ClusterUnit
): ReadonlyArray<string> => {
  const checked = isLeadingBack ? { ...guards, maxBidKopecks: anyBid, maxChangePercent: Infinity } : guards
  const broken = steps.flatMap(({ change }) => guardProblem(checked, change, unit) ?? [])
  return isLeadingBack ? broken : [...broken, ...tooMany(guards, steps.length)]
}

const anyBid = Kopecks.make(Number.MAX_SAFE_INTEGER)
const inRubles = (kopecks: Kopecks): string => `${kopecksToRubles(kopecks)} rub (${kopecks} kopecks)`
