import { Schema } from "effect"

import { operations } from "./operations.ts"
import { say } from "./story.ts"

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

const clusterBids: ReadonlyArray<string> = [
  operations.setNormqueryBids.name,
  operations.getNormqueryBids.name,
  operations.deleteNormqueryBids.name
]

/** 403: the key is good, but this is not open to it. */
export class AdsForbidden extends Schema.TaggedError<AdsForbidden>()("AdsForbidden", problem) {
  /** Phrases and search clusters are not open to every seller, and no other key opens them. */
  get isClosedToSeller() {
    return this.detail.includes("norm_query")
  }
  get advice() {
    if (!this.isClosedToSeller) {
      return "Use a key with the promotion right that is not read-only; some operations are closed to some sellers."
    }
    const closed = "ask the marketplace's support to open it. Bids of articles can be planned without it."
    return clusterBids.includes(this.operation)
      ? `Search clusters have bids only in campaigns with manual bids that pay for views. Where this is one, the interface is closed to this seller: ${closed}`
      : `The interface for phrases and search clusters is closed to this seller: ${closed}`
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
  get advice() {
    const correct = "Correct what it names, then repeat; nothing was changed."
    return this.operation === operations.updateCampaignProducts.name
      ? `${correct} Where it is the form that is not taken: marketplace.wire decides it, "spec" (the default) or "published" (D1).`
      : correct
  }
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

/** 5xx for a read: the marketplace is in trouble. */
export class AdsServerError extends Schema.TaggedError<AdsServerError>()("AdsServerError", problem) {
  readonly advice = "Nothing was changed. Repeat in a few minutes."
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
