import { Effect } from "effect"

import type { Judgement, Observation, StepRecords } from "../../changes/RemoteState.ts"
import { type Campaign, mayChange, status, statusText } from "../client/Campaign.ts"
import type { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { isKopecks, type Kopecks } from "../client/money.ts"
import { readBudgets } from "../client/readBudgets.ts"
import { canMove } from "../plan/Change.ts"
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
