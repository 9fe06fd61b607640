import { Schema } from "effect"

import { labelOf, operations } from "./operations.ts"

const problem = {
  operation: Schema.String,
  status: Schema.Int,
  /** The marketplace's own words. */
  detail: Schema.String,
  /** Where it names single fields: which, and why. */
  fields: Schema.Array(Schema.Struct({ field: Schema.String, detail: Schema.String })),
  /** What the marketplace's support asks for. */
  requestId: Schema.optionalKey(Schema.String)
}

/** What could not be done and why, in a sentence: the message of an error without its advice. */
export const storyOf = ({ detail, operation }: { readonly operation: string; readonly detail: string }): string =>
  `Could not ${labelOf(operation)}: ${asSentence(detail)}`

const asSentence = (text: string): string => {
  const line = text.trim().replaceAll(/\s*\n\s*/g, "; ")
  return /[.!?…]$/.test(line) ? line : `${line}.`
}

const say = (error: { readonly operation: string; readonly detail: string; readonly advice: string }) =>
  `${storyOf(error)} ${error.advice}`

/** 401: the key is not accepted. */
export class AdsUnauthorized extends Schema.TaggedError<AdsUnauthorized>()("AdsUnauthorized", problem) {
  get advice() {
    return this.detail.includes("scope")
      ? "Make a key with the promotion right."
      : "Check that the key is complete and not older than 180 days, and that authScheme (bearer or raw) is what it needs."
  }
  override get message() {
    return say(this)
  }
}

/** 403: the key is good, but this is not open to it. */
export class AdsForbidden extends Schema.TaggedError<AdsForbidden>()("AdsForbidden", problem) {
  get advice() {
    return this.detail.includes("norm_query")
      ? "Search clusters have bids only in campaigns with manual bids that pay for views; to some sellers they are closed."
      : "Use a key with the promotion right that is not read-only; some operations are closed to some sellers."
  }
  override get message() {
    return say(this)
  }
}

/** 402: the marketplace wants to be paid first. */
export class AdsPaymentRequired extends Schema.TaggedError<AdsPaymentRequired>()("AdsPaymentRequired", problem) {
  readonly advice = "Top up the account in the seller's cabinet, then repeat."
  override get message() {
    return say(this)
  }
}

/** The campaign, the article or the operation itself is not there. */
export class AdsNotFound extends Schema.TaggedError<AdsNotFound>()("AdsNotFound", problem) {
  get advice() {
    return this.operation === operations.getStatsKeywords.name
      ? "The marketplace switched keyword statistics off on 2026-01-15: use ads_cluster_stats (getNormqueryStats)."
      : "Where an id is wrong, ads_list_campaigns (getAdvertsV2) shows which there are."
  }
  override get message() {
    return say(this)
  }
}

/** 409: the request is at odds with the present state. */
export class AdsConflict extends Schema.TaggedError<AdsConflict>()("AdsConflict", problem) {
  readonly advice = "Read the campaign again with ads_get_campaign (getAdvertsV2), then plan anew."
  override get message() {
    return say(this)
  }
}

/** 400, 413 or 422: the marketplace does not take the request as it is. */
export class AdsBadRequest extends Schema.TaggedError<AdsBadRequest>()("AdsBadRequest", problem) {
  readonly advice = "Correct what it names, then repeat; nothing was changed."
  override get message() {
    return say(this)
  }
}

/** A bid is outside what the marketplace takes; all amounts in kopecks. */
export class BidOutOfRange extends Schema.TaggedError<BidOutOfRange>()("BidOutOfRange", {
  ...problem,
  received: Schema.Int,
  min: Schema.Int,
  max: Schema.optionalKey(Schema.Int)
}) {
  get advice() {
    const upTo = this.max === undefined ? "" : ` and at most ${this.max}`
    return `Bid at least ${this.min} kopecks${upTo}; ads_min_bids (getBidsMin) tells the lowest bid of every article.`
  }
  override get message() {
    return say(this)
  }
}

/** The campaign's status does not allow this. */
export class CampaignStateRefused extends Schema.TaggedError<CampaignStateRefused>()("CampaignStateRefused", problem) {
  readonly advice =
    "ads_get_campaign (getAdvertsV2) shows its status: a start works from 4 (ready) and 11 (paused), a pause from 9 (active), " +
    "changes in 4, 9 and 11."
  override get message() {
    return say(this)
  }
}

/** The campaign has too little money to start. */
export class LowBudget extends Schema.TaggedError<LowBudget>()("LowBudget", problem) {
  readonly advice = "Add money to the campaign's budget in the seller's cabinet, then start it."
  override get message() {
    return say(this)
  }
}

/** Too many calls for this operation; seconds until the next one is welcome. */
export class AdsRateLimited extends Schema.TaggedError<AdsRateLimited>()("AdsRateLimited", {
  operation: Schema.String,
  retryAfterSeconds: Schema.Finite
}) {
  get advice() {
    return `Repeat after ${Math.ceil(this.retryAfterSeconds)} seconds; this call changed nothing.`
  }
  get detail() {
    return "the marketplace's limit for this is used up"
  }
  override get message() {
    return say(this)
  }
}

/** 5xx for a read: the marketplace is in trouble. */
export class AdsServerError extends Schema.TaggedError<AdsServerError>()("AdsServerError", problem) {
  readonly advice = "Nothing was changed. Repeat in a few minutes."
  override get message() {
    return say(this)
  }
}

/** The request did not reach the marketplace, or a read got no answer. */
export class AdsUnreachable extends Schema.TaggedError<AdsUnreachable>()("AdsUnreachable", {
  operation: Schema.String,
  detail: Schema.String
}) {
  readonly advice = "Nothing was changed. Check the network and the configured address, then repeat."
  override get message() {
    return say(this)
  }
}

/** A change was sent and its answer was lost: it may or may not have happened, and was not repeated. */
export class AdsOutcomeUnknown extends Schema.TaggedError<AdsOutcomeUnknown>()("AdsOutcomeUnknown", {
  operation: Schema.String,
  detail: Schema.String
}) {
  readonly advice = "It may have happened and was not repeated. Read the current state before trying again."
  override get message() {
    return say(this)
  }
}

/** The answer is not what the operation is known to return; `body` is its beginning. */
export class AdsUnreadable extends Schema.TaggedError<AdsUnreadable>()("AdsUnreadable", {
  operation: Schema.String,
  kind: Schema.Literals(["read", "write"]),
  detail: Schema.String,
  body: Schema.String
}) {
  get advice() {
    return this.kind === "read"
      ? "The interface may have changed: report it with the answer's beginning."
      : "The change was accepted, only its answer could not be read. Read the current state before trying again."
  }
  override get message() {
    return say(this)
  }
}

/** The request breaks a rule of the interface; found before anything was sent. */
export class AdsInvalidRequest extends Schema.TaggedError<AdsInvalidRequest>()("AdsInvalidRequest", {
  operation: Schema.String,
  detail: Schema.String
}) {
  readonly advice = "Nothing was sent."
  override get message() {
    return say(this)
  }
}

/** Writing is switched off; `detail` says by what. */
export class AdsReadOnly extends Schema.TaggedError<AdsReadOnly>()("AdsReadOnly", {
  operation: Schema.String,
  detail: Schema.String
}) {
  readonly advice = "Nothing was sent. Only a person who runs this server can change that."
  override get message() {
    return say(this)
  }
}

/** The marketplace took some items of a long list and not the others: `done` of `total` are changed. */
export class AdsPartlyDone extends Schema.TaggedError<AdsPartlyDone>()("AdsPartlyDone", {
  operation: Schema.String,
  done: Schema.Int,
  total: Schema.Int,
  /** What came in between. */
  problem: Schema.String
}) {
  get detail() {
    return `only ${this.done} of ${this.total} were done, then: ${this.problem}`
  }
  readonly advice = "Some items are changed, the others are not. Read the current state and send the rest."
  override get message() {
    return say(this)
  }
}

/** The marketplace answered, and its answer was a refusal. */
export type AdsRefused =
  | AdsBadRequest
  | AdsConflict
  | AdsForbidden
  | AdsNotFound
  | AdsPaymentRequired
  | AdsServerError
  | AdsUnauthorized
  | BidOutOfRange
  | CampaignStateRefused
  | LowBudget

export type MarketplaceError =
  | AdsInvalidRequest
  | AdsOutcomeUnknown
  | AdsPartlyDone
  | AdsRateLimited
  | AdsReadOnly
  | AdsRefused
  | AdsUnreachable
  | AdsUnreadable
