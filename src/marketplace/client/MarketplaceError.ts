import { Schema } from "effect"

import { labelOf, operations } from "./operations.ts"

/** What the marketplace says in a refusal. */
const refused = {
  /** The HTTP status. */
  status: Schema.Int,
  /** The marketplace's own words. */
  detail: Schema.String,
  /** Where it names single fields: which, and why. */
  fields: Schema.Array(Schema.Struct({ field: Schema.String, detail: Schema.String })),
  /** What the marketplace's support asks for. */
  requestId: Schema.optionalKey(Schema.String)
}

/** 401: the key is not accepted. */
export class AdsUnauthorized extends Schema.TaggedClass<AdsUnauthorized>()("AdsUnauthorized", refused) {}

/** 403: the key is good, but this is not open to it. */
export class AdsForbidden extends Schema.TaggedClass<AdsForbidden>()("AdsForbidden", refused) {}

/** 402: the marketplace wants to be paid first. */
export class AdsPaymentRequired extends Schema.TaggedClass<AdsPaymentRequired>()("AdsPaymentRequired", refused) {}

/** The campaign, the article or the operation itself is not there. */
export class AdsNotFound extends Schema.TaggedClass<AdsNotFound>()("AdsNotFound", refused) {}

/** 409: the request is at odds with the present state. */
export class AdsConflict extends Schema.TaggedClass<AdsConflict>()("AdsConflict", refused) {}

/** 400, 413 or 422: the marketplace does not take the request as it is. */
export class AdsBadRequest extends Schema.TaggedClass<AdsBadRequest>()("AdsBadRequest", refused) {}

/** A bid is outside what the marketplace takes; all amounts in kopecks. */
export class BidOutOfRange extends Schema.TaggedClass<BidOutOfRange>()("BidOutOfRange", {
  ...refused,
  received: Schema.Int,
  min: Schema.Int,
  max: Schema.optionalKey(Schema.Int)
}) {}

/** The campaign's status does not allow this. */
export class CampaignStateRefused extends Schema.TaggedClass<CampaignStateRefused>()("CampaignStateRefused", refused) {}

/** The campaign has too little money to start. */
export class LowBudget extends Schema.TaggedClass<LowBudget>()("LowBudget", refused) {}

/** 5xx for a read: the marketplace is in trouble. */
export class AdsServerError extends Schema.TaggedClass<AdsServerError>()("AdsServerError", refused) {}

/** Too many calls for this operation; seconds until the next one is welcome. Nothing was changed. */
export class AdsRateLimited extends Schema.TaggedClass<AdsRateLimited>()("AdsRateLimited", {
  retryAfterSeconds: Schema.Finite
}) {
  get detail() {
    return "the marketplace's limit for this is used up"
  }
}

/** The request did not reach the marketplace, or a read got no answer. Nothing was changed. */
export class AdsUnreachable extends Schema.TaggedClass<AdsUnreachable>()("AdsUnreachable", {
  detail: Schema.String,
  /** The system's word where no connection came about or it broke: ECONNREFUSED, ENOTFOUND, CERT_HAS_EXPIRED and the like. */
  code: Schema.optionalKey(Schema.String),
  /** Where the marketplace was looked for: scheme, host and port. */
  address: Schema.optionalKey(Schema.String)
}) {}

/** A change was sent and its answer was lost: it may or may not have happened, and was not repeated. */
export class AdsOutcomeUnknown extends Schema.TaggedClass<AdsOutcomeUnknown>()("AdsOutcomeUnknown", {
  detail: Schema.String
}) {}

/** The answer is not what the operation is known to return; `body` is its beginning. A write has been accepted. */
export class AdsUnreadable extends Schema.TaggedClass<AdsUnreadable>()("AdsUnreadable", {
  kind: Schema.Literals(["read", "write"]),
  detail: Schema.String,
  body: Schema.String
}) {}

/** A campaign that was asked for is not as campaigns are known to be; the others of the list can be read. */
export class CampaignUnreadable extends Schema.TaggedClass<CampaignUnreadable>()("CampaignUnreadable", {
  advert_id: Schema.NullOr(Schema.Int),
  /** What is odd about it. */
  problem: Schema.String
}) {
  get detail() {
    return `campaign ${this.advert_id ?? "without an id"} cannot be read: ${this.problem}`
  }
}

/** The request breaks a rule of the interface; found before anything was sent. */
export class AdsInvalidRequest extends Schema.TaggedClass<AdsInvalidRequest>()("AdsInvalidRequest", {
  detail: Schema.String
}) {}

/** Writing is switched off; `detail` says by what. Nothing was sent. */
export class AdsReadOnly extends Schema.TaggedClass<AdsReadOnly>()("AdsReadOnly", { detail: Schema.String }) {}

/** The marketplace took some items of a long list and not the others: `done` of `total` are changed. */
export class AdsPartlyDone extends Schema.TaggedClass<AdsPartlyDone>()("AdsPartlyDone", {
  done: Schema.Int,
  total: Schema.Int,
  /** What came in between. */
  problem: Schema.String,
  /** Where that was a limit: the pause that the others need. */
  retryAfterSeconds: Schema.optionalKey(Schema.Finite)
}) {
  get detail() {
    return `only ${this.done} of ${this.total} were done, then: ${this.problem}`
  }
}

/** Why a call failed; each reason has its words in `detail`. */
export const Reason = Schema.Union([
  AdsBadRequest,
  AdsConflict,
  AdsForbidden,
  AdsInvalidRequest,
  AdsNotFound,
  AdsOutcomeUnknown,
  AdsPartlyDone,
  AdsPaymentRequired,
  AdsRateLimited,
  AdsReadOnly,
  AdsServerError,
  AdsUnauthorized,
  AdsUnreachable,
  AdsUnreadable,
  BidOutOfRange,
  CampaignStateRefused,
  CampaignUnreadable,
  LowBudget
])
export type Reason = typeof Reason.Type

/**
 * Everything that a call of the marketplace can fail with: the operation, by its method's name, and a tagged `reason`
 * (`Effect.catchReason("MarketplaceError", "AdsNotFound", …)` takes one of them).
 */
export class MarketplaceError extends Schema.TaggedError<MarketplaceError>()("MarketplaceError", {
  operation: Schema.String,
  reason: Reason
}) {
  /** What could not be done and why, as one sentence. */
  get problem() {
    return describe(this.operation, this.reason.detail)
  }
  override get message() {
    return isOutcomeUnknown(this) ? `${this.problem} It may have happened all the same.` : this.problem
  }
}

/** What could not be done and why, as one sentence. */
export const describe = (operation: string, detail: string): string =>
  `Could not ${labelOf(operation)}: ${asSentence(detail)}`

const asSentence = (text: string): string => {
  const line = text.trim().replaceAll(/\s*\n\s*/g, "; ")
  return /[.!?…]$/.test(line) ? line : `${line}.`
}

/** The error with some of the reasons. */
export type Because<Tag extends Reason["_tag"]> = MarketplaceError & {
  readonly reason: Extract<Reason, { readonly _tag: Tag }>
}

/** Whether something failed for one of these reasons. */
export const isBecause =
  <const Tags extends ReadonlyArray<Reason["_tag"]>>(...tags: Tags) =>
  (error: unknown): error is Because<Tags[number]> =>
    error instanceof MarketplaceError && tags.some((tag) => tag === error.reason._tag)

const refusals = [
  "AdsBadRequest",
  "AdsConflict",
  "AdsInvalidRequest",
  "AdsNotFound",
  "BidOutOfRange",
  "CampaignStateRefused",
  "CampaignUnreadable",
  "LowBudget"
] as const

/** Whether the marketplace does not take or show what was asked for: nothing was changed, and asking again would not help. */
export const isRefusal = isBecause(...refusals)

/** The same, or a call of which only some was taken, without a word on what. */
export const isRefusalOfSome = isBecause(...refusals, "AdsPartlyDone")

/** The key or the account is turned away, before the request is looked at. */
export const isOfAccount = isBecause("AdsForbidden", "AdsPaymentRequired", "AdsUnauthorized")

const isTurnedAway = isBecause("AdsRateLimited", "AdsReadOnly", "AdsUnreachable")

/** Whether a write cannot have changed anything: it did not arrive, or was turned away before it was looked at. */
export const isUnsent = (error: MarketplaceError): boolean => isOfAccount(error) || isTurnedAway(error)

/** Whether a write may have happened: its answer was lost, or came and could not be read. */
export const isOutcomeUnknown = ({ reason }: MarketplaceError): boolean =>
  reason._tag === "AdsOutcomeUnknown" || (reason._tag === "AdsUnreadable" && reason.kind === "write")

/** Seconds to wait before the next call, where the marketplace asks for a pause. */
export const retryAfter = ({ reason }: MarketplaceError): number | undefined =>
  reason._tag === "AdsRateLimited" || reason._tag === "AdsPartlyDone" ? reason.retryAfterSeconds : undefined

/** Whether the interface for phrases and search clusters is closed to this seller; no other key opens it. */
export const isClosedToSeller = ({ reason }: MarketplaceError): boolean =>
  reason._tag === "AdsForbidden" && reason.detail.includes("norm_query")

/** Whether the marketplace has switched the operation off for everybody. */
export const isSwitchedOff = ({ operation, reason }: MarketplaceError): boolean =>
  reason._tag === "AdsNotFound" && operation === operations.getStatsKeywords.name
