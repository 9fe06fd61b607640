import { Schema } from "effect"

import type { AdsRefused } from "./AdsRefused.ts"
import { say } from "./story.ts"

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

/** A campaign that was asked for is not as campaigns are known to be; the others of the list can be read. */
export class CampaignUnreadable extends Schema.TaggedError<CampaignUnreadable>()("CampaignUnreadable", {
  operation: Schema.String,
  advert_id: Schema.NullOr(Schema.Int),
  /** What is odd about it. */
  problem: Schema.String
}) {
  get detail() {
    return `campaign ${this.advert_id ?? "without an id"} cannot be read: ${this.problem}`
  }
  readonly advice =
    "Look at it in the seller's cabinet, and report what is odd: the interface may have changed. Other campaigns can be read."
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

/** Everything that a call of the marketplace can fail with. */
export type MarketplaceError =
  | AdsInvalidRequest
  | AdsOutcomeUnknown
  | AdsPartlyDone
  | AdsRateLimited
  | AdsReadOnly
  | AdsRefused
  | AdsUnreachable
  | AdsUnreadable
  | CampaignUnreadable
