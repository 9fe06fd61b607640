import type { Failure } from "../../changes/Driver.ts"
import { isRefusalOfSome } from "../client/isRefusal.ts"
import {
  type AdsOutcomeUnknown,
  AdsPartlyDone,
  AdsReadOnly,
  AdsUnreadable,
  CampaignUnreadable,
  type MarketplaceError
} from "../client/MarketplaceError.ts"
import { operations } from "../client/operations.ts"
import { storyOf } from "../client/story.ts"
import { type Unreadable, whyUnreadable } from "../client/Unreadable.ts"
import type { Change } from "../plan/Change.ts"

/* The one place of plans where errors of the client are told apart, and made. */

/** What cannot have changed anything: the call did not arrive, or was turned away before it was looked at. */
const unsent: ReadonlyArray<MarketplaceError["_tag"]> = [
  "AdsForbidden",
  "AdsPaymentRequired",
  "AdsRateLimited",
  "AdsReadOnly",
  "AdsUnauthorized",
  "AdsUnreachable"
]

/** The reason of an apply that stops in the dark. */
export const outcomeUnknown: AdsOutcomeUnknown["_tag"] = "AdsOutcomeUnknown"

/** What follows for a plan from an error of a call about some changes. */
export const explain = (error: MarketplaceError, changes: ReadonlyArray<Change>): Failure => {
  if (isRefusalOfSome(error)) {
    const isOneCampaign = new Set(changes.map(campaignOf)).size === 1
    const isWhole = error._tag === "CampaignStateRefused" && isOneCampaign
    return { _tag: "Refused", problem: error.message, isWhole }
  }
  const problem = isOfKey(error) ? error.message : storyOf(error)
  if (isUncertain(error)) return { _tag: "OutcomeUnknown", reason: outcomeUnknown, problem }
  const pause = error._tag === "AdsRateLimited" ? { retryAfterSeconds: error.retryAfterSeconds } : {}
  return { _tag: "Stopped", reason: error._tag, problem, isUnsent: unsent.includes(error._tag), ...pause }
}

const campaignOf = (change: Change): string => ("target" in change ? JSON.stringify(change.target) : change.name)

/** A refusal of the key or the account, whose advice says what to settle. */
const isOfKey = ({ _tag }: MarketplaceError): boolean =>
  _tag === "AdsUnauthorized" || _tag === "AdsForbidden" || _tag === "AdsPaymentRequired"

/** A write whose answer was lost, or came and could not be read. */
const isUncertain = (error: MarketplaceError): boolean =>
  error._tag === "AdsOutcomeUnknown" || (error._tag === "AdsUnreadable" && error.kind === "write")

/** Nothing may be changed. */
export const readOnly = (detail: string) => new AdsReadOnly({ operation: "apply", detail })

/** A campaign that a plan is about cannot be read, which is not the same as not being there. */
export const unreadable = (odd: Unreadable) =>
  new CampaignUnreadable({ operation: operations.getAdvertsV2.name, ...odd })

/** A campaign that is to be created may be there already, and creating it once more cannot be undone. */
export const unreadableNamesake = (odd: Unreadable) =>
  new AdsUnreadable({
    operation: operations.getAdvertsV2.name,
    kind: "read",
    detail: `campaign ${odd.advert_id} has the name of the one to be created, and ${whyUnreadable(odd)}`,
    body: ""
  })

/** Some bids were not taken, and the answer does not say which. */
export const partlyDone = (problem: string, done: number, total: number) =>
  new AdsPartlyDone({ operation: "setNormqueryBids", done, total, problem })
