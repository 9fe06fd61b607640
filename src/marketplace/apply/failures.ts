import type { Failure } from "../../changes/Driver.ts"
import { type Unreadable, whyUnreadable } from "../client/Campaign.ts"
import {
  type AdsOutcomeUnknown,
  AdsPartlyDone,
  AdsReadOnly,
  AdsUnreadable,
  CampaignUnreadable,
  isBecause,
  isOfAccount,
  isOutcomeUnknown,
  isRefusalOfSome,
  isUnsent,
  MarketplaceError,
  retryAfter
} from "../client/MarketplaceError.ts"
import { operations } from "../client/operations.ts"
import type { Change } from "../plan/Change.ts"
import { explain as withAdvice } from "./advice.ts"

/* The one place of plans where errors of the client are told apart, and made. */

/** The reason of an apply that stops with an unknown outcome. */
export const outcomeUnknown: AdsOutcomeUnknown["_tag"] = "AdsOutcomeUnknown"

const isOfState = isBecause("CampaignStateRefused")

/** What follows for a plan from an error of a call about some changes. */
export const explain = (error: MarketplaceError, changes: ReadonlyArray<Change>): Failure => {
  if (isRefusalOfSome(error)) {
    const isOneCampaign = new Set(changes.map(campaignOf)).size === 1
    return { _tag: "Refused", problem: withAdvice(error), isWhole: isOfState(error) && isOneCampaign }
  }
  // What to settle with the key or the account is in the advice.
  const problem = isOfAccount(error) ? withAdvice(error) : error.problem
  if (isOutcomeUnknown(error)) return { _tag: "OutcomeUnknown", reason: outcomeUnknown, problem }
  const retryAfterSeconds = retryAfter(error)
  const pause = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return { _tag: "Stopped", reason: error.reason._tag, problem, isUnsent: isUnsent(error), ...pause }
}

const campaignOf = (change: Change): string => ("target" in change ? JSON.stringify(change.target) : change.name)

/** Nothing may be changed. */
export const readOnly = (detail: string) =>
  new MarketplaceError({ operation: "apply", reason: new AdsReadOnly({ detail }) })

const operation = operations.getAdvertsV2.name

/** A campaign that a plan is about cannot be read, which is not the same as not being there. */
export const unreadable = (odd: Unreadable) => new MarketplaceError({ operation, reason: new CampaignUnreadable(odd) })

/** A campaign that is to be created may be there already, and creating it once more cannot be reverted. */
export const unreadableNamesake = (odd: Unreadable) =>
  new MarketplaceError({
    operation,
    reason: new AdsUnreadable({
      kind: "read",
      detail: `campaign ${odd.advert_id} has the name of the one to be created, and ${whyUnreadable(odd)}`,
      body: ""
    })
  })

/** Some bids were not taken, and the answer does not say which. */
export const partlyDone = (problem: string, done: number, total: number) =>
  new MarketplaceError({ operation: "setNormqueryBids", reason: new AdsPartlyDone({ done, total, problem }) })
