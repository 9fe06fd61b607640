import { Match } from "effect"

import { isTlsFailure } from "../../internal/http/transportCode.ts"
import { isClosedToSeller, isSwitchedOff, type MarketplaceError, type Reason } from "../client/MarketplaceError.ts"
import { operations } from "../client/operations.ts"
import { isPage } from "../client/refusal.ts"

/* Advice on errors of the marketplace for those who call tools: so tools are named here, and not in the client. */

/** Advice that is always the same for a reason. */
const fixed = {
  AdsConflict: "Read the campaign again with ads_get_campaign (getAdvertsV2), then plan anew.",
  AdsInvalidRequest: "Nothing was sent.",
  AdsOutcomeUnknown: "It may have happened and was not repeated. Read the current state before trying again.",
  AdsPartlyDone: "Some items are changed, the others are not. Read the current state and send the rest.",
  AdsPaymentRequired: "Top up the account in the seller's cabinet, then repeat.",
  AdsReadOnly: "Nothing was sent. Only a person who runs this server can change that.",
  AdsServerError: "Nothing was changed. Repeat in a few minutes.",
  CampaignStateRefused:
    "ads_get_campaign (getAdvertsV2) shows its status: a start works from 4 (ready) and 11 (paused), a pause from 9 (active), " +
    "changes in 4, 9 and 11.",
  CampaignUnreadable:
    "Look at it in the seller's cabinet, and report what is odd: the interface may have changed. Other campaigns can be read.",
  LowBudget: "Add money to the campaign's budget in the seller's cabinet, then start it."
} as const satisfies Partial<Record<Reason["_tag"], string>>

type Fixed = Extract<Reason, { readonly _tag: keyof typeof fixed }>

const hasFixed = (reason: Reason): reason is Fixed => Object.hasOwn(fixed, reason._tag)

/** Advice that depends on the error itself. A new reason does not compile until it has its advice. */
const varying = (error: MarketplaceError) =>
  Match.type<Exclude<Reason, Fixed>>().pipe(
    Match.tagsExhaustive({
      AdsBadRequest: () => {
        const correct = "Correct what it names, then repeat; nothing was changed."
        return error.operation === operations.updateCampaignProducts.name
          ? `${correct} Where it is the form that is not taken: marketplace.wire decides it, "spec" (the default) or "published" (D1).`
          : correct
      },
      AdsForbidden: () => (isClosedToSeller(error) ? onClosed(error) : onForbidden),
      AdsNotFound: () =>
        isSwitchedOff(error)
          ? "The marketplace switched keyword statistics off on 2026-01-15: use level cluster of ads_report (getNormqueryStats)."
          : "Where an id is wrong, ads_list_campaigns (getAdvertsV2) shows which there are.",
      AdsRateLimited: ({ retryAfterSeconds }) =>
        `Repeat after ${Math.ceil(retryAfterSeconds)} seconds; this call changed nothing.`,
      AdsUnauthorized: ({ detail }) =>
        detail.includes("scope")
          ? "Make a key with the promotion right."
          : "Check that the key is complete and not older than 180 days, and that authScheme (bearer or raw) is what it needs.",
      AdsUnreachable: ({ code = "" }) =>
        isTlsFailure(code)
          ? "Nothing was changed. Check marketplace.baseUrl or MARKETPLACE_HOST; marketplace.caFile names further certificate authorities to trust."
          : "Nothing was changed. Check marketplace.baseUrl or MARKETPLACE_HOST, and the network; then repeat.",
      AdsUnreadable: ({ body, kind }) => {
        const isForeign = isPage(body)
        if (kind === "read")
          return isForeign ? onPage : "The interface may have changed: report it with the answer's beginning."
        const became = isForeign
          ? "Whether the change was accepted is not known."
          : "The change was accepted, only its answer could not be read."
        return `${became} Read the current state before trying again.${isForeign ? ` ${onPage}` : ""}`
      },
      BidOutOfRange: ({ max, min }) => {
        const upTo = max === undefined ? "" : ` and at most ${max}`
        return `Bid at least ${min} kopecks${upTo}; ads_min_bids (getBidsMin) tells the lowest bid of every article.`
      }
    })
  )

const onPage = "Something else may answer there, such as a proxy: check marketplace.baseUrl or MARKETPLACE_HOST."

const onForbidden =
  "Use a key with the promotion right that is not read-only; some operations are closed to some sellers."

const clusterBids: ReadonlyArray<string> = [
  operations.setNormqueryBids.name,
  operations.getNormqueryBids.name,
  operations.deleteNormqueryBids.name
]

const onClosed = ({ operation }: MarketplaceError): string => {
  const closed = "ask the marketplace's support to open it. Bids of articles can be planned without it."
  return clusterBids.includes(operation)
    ? `Search clusters have bids only in campaigns with manual bids that pay for views. Where this is one, the interface is closed to this seller: ${closed}`
    : `The interface for phrases and search clusters is closed to this seller: ${closed}`
}

/** Advice that does not depend on the single error, if there is any. */
export const fixedAdvice = (reason: Reason): string | undefined => (hasFixed(reason) ? fixed[reason._tag] : undefined)

/** Advice on an error, in whole sentences. */
export const adviceOn = (error: MarketplaceError): string => {
  const { reason } = error
  return hasFixed(reason) ? fixed[reason._tag] : varying(error)(reason)
}

/** The failed task, the reason, and the advice on it. */
export const explain = (error: MarketplaceError): string => `${error.problem} ${adviceOn(error)}`
