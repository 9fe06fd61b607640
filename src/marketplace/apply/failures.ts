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

export const isOfState = isBecause("CampaignStateRefused")

/** Whether the body of a request has a form that the marketplace does not take, whatever is in it (D1). */
const isOfForm = ({ reason }: MarketplaceError): boolean =>
  reason._tag === "AdsBadRequest" && /deserialize|incorrect request body/i.test(reason.detail)

/** The meaning of a call's error for a plan with these changes. */
export const explain = (error: MarketplaceError, changes: ReadonlyArray<Change>): Failure => {
  if (isRefusalOfSome(error)) {
    const isOneCampaign = new Set(changes.map(campaignOf)).size === 1
    const isWhole = isOfForm(error) || (isOfState(error) && isOneCampaign)
    return { _tag: "Refused", problem: withAdvice(error), isWhole }
  }
  // The advice says what to settle with the key or the account.
  const problem = isOfAccount(error) ? withAdvice(error) : error.problem
  if (isOutcomeUnknown(error)) return { _tag: "OutcomeUnknown", reason: outcomeUnknown, problem }
  const retryAfterSeconds = retryAfter(error)
  const pause = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return { _tag: "Stopped", reason: error.reason._tag, problem, isUnsent: isUnsent(error), ...pause }
}

const campaignOf = (change: Change): string => ("target" in change ? JSON.stringify(change.target) : change.name)

export const readOnly = (operation: string, detail: string) =>
  new MarketplaceError({ operation, reason: new AdsReadOnly({ detail }) })

const operation = operations.getAdvertsV2.name

/** A campaign of the plan cannot be read, which does not mean that it does not exist. */
export const unreadable = (odd: Unreadable) => new MarketplaceError({ operation, reason: new CampaignUnreadable(odd) })

/** A campaign that is to be created may exist already, and creating it twice could not be reverted. */
export const unreadableNamesake = (odd: Unreadable) =>
  new MarketplaceError({
    operation,
    reason: new AdsUnreadable({
      kind: "read",
      detail: `campaign ${odd.advert_id} has the name of the one to be created, and ${whyUnreadable(odd)}`,
      body: ""
    })
  })

/** Some bids were refused, and the answer does not say which. */
export const partlyDone = (problem: string, done: number, total: number) =>
  new MarketplaceError({ operation: "setNormqueryBids", reason: new AdsPartlyDone({ done, total, problem }) })
