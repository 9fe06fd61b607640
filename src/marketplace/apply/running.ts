import { Effect } from "effect"

import type { StoredEntry } from "../../changes/Journal.ts"
import type { Judgement, Observation, StepRecords } from "../../changes/RemoteState.ts"
import { type Campaign, mayChange, status, statusText } from "../client/Campaign.ts"
import type { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { isKopecks, type Kopecks } from "../client/money.ts"
import { operations } from "../client/operations.ts"
import { readBudgets } from "../client/readBudgets.ts"
import { canMove, type Change, workOf } from "../plan/Change.ts"
import type { LocatedOf } from "./Located.ts"

/* Whether campaigns run, and the money that they may spend. */

type Ads = MarketplaceAds["Service"]

/** The money of campaigns in kopecks; none where it is not told, or is no amount. */
export const budgetsOf = (ads: Ads, ids: ReadonlyArray<number>) =>
  Effect.map(readBudgets(ads, ids), (budgets) => {
    const amounts = new Map<number, Kopecks>()
    for (const [id, budget] of budgets) if (isKopecks(budget?.kopecks)) amounts.set(id, budget.kopecks)
    return amounts
  })

type Entries = ReadonlyArray<StoredEntry<Change>>

const isBrake = (entry: StoredEntry<Change>) => entry.type === "action" && typeof entry["pause"] === "string"

/** The reason for which a plan starts nothing more: somebody has pulled the brake since it was begun, and nobody agreed since. */
export const whyNotStarted = (entries: Entries, plan: string | undefined): string | undefined => {
  const begun = entries.findIndex((entry) => entry.type === "begun" && entry.plan_id === plan)
  const isPulled = begun >= 0 && entries.slice(begun).some(isBrake)
  return isPulled
    ? "ads_pause_campaign has paused campaigns since this plan was begun, and it starts nothing more: plan it anew"
    : undefined
}

/** Milliseconds in which a start comes to show. */
const settlingMs = 200_000

/** Campaigns whose start was sent so lately that they need not show as running yet, and that were not paused again. */
export const startedLately = (entries: Entries, now: number): ReadonlyArray<number> => {
  const since = now - settlingMs
  const starts = new Map<string, number>()
  const started = new Set<number>()
  for (const entry of entries) {
    if (entry.type === "planned") {
      for (const { change, id } of entry.plan.steps) {
        if (workOf(change) !== "start" || !("target" in change) || typeof change.target !== "number") continue
        starts.set(`${entry.plan_id} ${id}`, change.target)
      }
    }
    if (entry.at < since) continue
    if (entry.type === "begun") {
      for (const step of entry.steps) {
        const id = starts.get(`${entry.plan_id} ${step}`)
        if (id !== undefined) started.add(id)
      }
    }
    if (entry.type !== "action" || typeof entry["advert_id"] !== "number") continue
    if (entry.operation === operations.startCampaign.name) started.add(entry["advert_id"])
    else if (entry.outcome === "done") started.delete(entry["advert_id"])
  }
  return [...started]
}

/** A campaign that may not be started, paused or ended any more has ended meanwhile. */
export const judgeState = (
  { after }: Pick<LocatedOf<"state">, "after">,
  campaign: Pick<Campaign, "status"> | undefined
): Judgement => {
  if (campaign?.status === after) return "already"
  return campaign !== undefined && canMove(campaign.status, after) ? "pending" : "drift"
}

/** The reason for which a campaign does not pause yet, or at all: its partner does not run in its place. */
export const withoutPartner = (
  { after, partner }: LocatedOf<"state">,
  campaigns: ReadonlyMap<number, Campaign>
): string | undefined => {
  if (partner === undefined || after === status.active) return undefined
  const other = campaigns.get(partner)
  if (other?.status === status.active) return undefined
  const standing = other === undefined ? "is not there" : `is ${statusText(other.status)}`
  return `campaign ${partner}, which takes its place, ${standing}: it goes on until that runs`
}

/** Whether money was added: it is sent once, and what it may have been sent before is never sent again. */
export const judgeDeposit = (
  { before, rubles }: LocatedOf<"deposit">,
  budget: Kopecks | undefined,
  { record }: StepRecords
): Judgement => {
  if (record.touchedBy > 0) return budget !== undefined && budget >= before + rubles * 100 ? "already" : "drift"
  return budget !== undefined && budget <= before ? "pending" : "drift"
}

/** A campaign spends while it is read back: any budget above the one before shows that the money is there. */
export const depositShown = ({ before }: LocatedOf<"deposit">, budget: Kopecks | undefined): Observation => ({
  _tag: budget !== undefined && budget > before ? "Wanted" : "Other"
})

/** The reason why money is not added to a budget that does not stand as planned. */
export const whyNotDeposited = (
  { before, target }: LocatedOf<"deposit">,
  budget: Kopecks | undefined,
  campaign: Campaign | undefined
): string => {
  if (campaign !== undefined && !mayChange(campaign)) {
    return `campaign ${target} is ${statusText(campaign.status)}, and takes no money`
  }
  if (budget === undefined) return `the budget of campaign ${target} cannot be read`
  return budget > before
    ? `the budget of campaign ${target} has grown since: look at it, then plan anew`
    : `money for campaign ${target} was sent once and does not show, and it is never sent twice: look at its budget in the seller's cabinet, then plan anew`
}
