import { Schema } from "effect"

import { labelOf, operations } from "./operations.ts"

/** The fields that the marketplace returns with a refusal. */
const refused = {
  status: Schema.Int,
  /** The marketplace's own message. */
  detail: Schema.String,
  /** The fields that it complains about, if it says so. */
  fields: Schema.Array(Schema.Struct({ field: Schema.String, detail: Schema.String })),
  /** Quoted to the marketplace's support. */
  requestId: Schema.optionalKey(Schema.String)
}

/** 401: the key is not accepted. */
export class AdsUnauthorized extends Schema.TaggedClass<AdsUnauthorized>()("AdsUnauthorized", refused) {}

/** 403: the key is valid, but has no access to this. */
export class AdsForbidden extends Schema.TaggedClass<AdsForbidden>()("AdsForbidden", refused) {}

/** 402: payment is due. */
export class AdsPaymentRequired extends Schema.TaggedClass<AdsPaymentRequired>()("AdsPaymentRequired", refused) {}

/** The campaign, the article or the operation itself does not exist. */
export class AdsNotFound extends Schema.TaggedClass<AdsNotFound>()("AdsNotFound", refused) {}

/** 409: the request conflicts with the current state. */
export class AdsConflict extends Schema.TaggedClass<AdsConflict>()("AdsConflict", refused) {}

/** 400, 413 or 422: the marketplace refuses the request as it is. */
export class AdsBadRequest extends Schema.TaggedClass<AdsBadRequest>()("AdsBadRequest", refused) {}

/** A bid is outside the allowed range; all amounts in kopecks. */
export class BidOutOfRange extends Schema.TaggedClass<BidOutOfRange>()("BidOutOfRange", {
  ...refused,
  received: Schema.Int,
  min: Schema.Int,
  max: Schema.optionalKey(Schema.Int)
}) {}

/** The campaign's status does not allow this. */
export class CampaignStateRefused extends Schema.TaggedClass<CampaignStateRefused>()("CampaignStateRefused", refused) {}

/** The campaign does not have enough money to start. */
export class LowBudget extends Schema.TaggedClass<LowBudget>()("LowBudget", refused) {}

/** 5xx for a read. */
export class AdsServerError extends Schema.TaggedClass<AdsServerError>()("AdsServerError", refused) {}

/** Too many calls of this operation; how many seconds to wait. Nothing was changed. */
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
  /** The system's code if the connection failed: ECONNREFUSED, ENOTFOUND, CERT_HAS_EXPIRED and the like. */
  code: Schema.optionalKey(Schema.String),
  /** The address that was tried: scheme, host and port. */
  address: Schema.optionalKey(Schema.String)
}) {}

/** A change was sent and its answer was lost: it may or may not have happened, and was not repeated. */
export class AdsOutcomeUnknown extends Schema.TaggedClass<AdsOutcomeUnknown>()("AdsOutcomeUnknown", {
  detail: Schema.String
}) {}

/** The answer does not have the known shape; `body` is its beginning. If it was a write, it has been accepted. */
export class AdsUnreadable extends Schema.TaggedClass<AdsUnreadable>()("AdsUnreadable", {
  kind: Schema.Literals(["read", "write"]),
  detail: Schema.String,
  body: Schema.String
}) {}

/** A requested campaign does not have the known shape; the others of the list can be read. */
export class CampaignUnreadable extends Schema.TaggedClass<CampaignUnreadable>()("CampaignUnreadable", {
  advert_id: Schema.NullOr(Schema.Int),
  /** Its first deviation from the known shape. */
  problem: Schema.String
}) {
  get detail() {
    return `campaign ${this.advert_id ?? "without an id"} cannot be read: ${this.problem}`
  }
}

/** The request breaks a rule of the API; found before anything was sent. */
export class AdsInvalidRequest extends Schema.TaggedClass<AdsInvalidRequest>()("AdsInvalidRequest", {
  detail: Schema.String
}) {}

/** Writes are switched off; `detail` says why. Nothing was sent. */
export class AdsReadOnly extends Schema.TaggedClass<AdsReadOnly>()("AdsReadOnly", { detail: Schema.String }) {}

/** The marketplace accepted some items of a long list but not the others: `done` of `total` are changed. */
export class AdsPartlyDone extends Schema.TaggedClass<AdsPartlyDone>()("AdsPartlyDone", {
  done: Schema.Int,
  total: Schema.Int,
  /** The failure that stopped it. */
  problem: Schema.String,
  /** If that was a rate limit: how long to wait before sending the others. */
  retryAfterSeconds: Schema.optionalKey(Schema.Finite)
}) {
  get detail() {
    return `only ${this.done} of ${this.total} were done, then: ${this.problem}`
  }
}

/** The reason of a call's failure; `detail` says more in words. */
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
 * The error of every call to the marketplace: the operation, by its method's name, and a tagged `reason`
 * (`Effect.catchReason("MarketplaceError", "AdsNotFound", …)` catches one of them).
 */
export class MarketplaceError extends Schema.TaggedError<MarketplaceError>()("MarketplaceError", {
  operation: Schema.String,
  reason: Reason
}) {
  /** The failed task with the reason, as one sentence. */
  get problem() {
    return describe(this.operation, this.reason.detail)
  }
  override get message() {
    return isOutcomeUnknown(this) ? `${this.problem} It may have happened all the same.` : this.problem
  }
}

/** The failed task with the reason, as one sentence. */
export const describe = (operation: string, detail: string): string =>
  `Could not ${labelOf(operation)}: ${asSentence(detail)}`

const asSentence = (text: string): string => {
  const line = text
    .split("\n")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("; ")
  return /[.!?…]$/.test(line) ? line : `${line}.`
}

/** The error narrowed to some reasons. */
type Because<Tag extends Reason["_tag"]> = MarketplaceError & {
  readonly reason: Extract<Reason, { readonly _tag: Tag }>
}

/** Whether an error has one of these reasons. */
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

/** Whether the marketplace refused the request: nothing was changed, and repeating it would not help. */
export const isRefusal = isBecause(...refusals)

/** The same, or a call of which only an unknown part was accepted. */
export const isRefusalOfSome = isBecause(...refusals, "AdsPartlyDone")

/** The key or the account is refused, before the request is even looked at. */
export const isOfAccount = isBecause("AdsForbidden", "AdsPaymentRequired", "AdsUnauthorized")

const isTurnedAway = isBecause("AdsRateLimited", "AdsReadOnly", "AdsUnreachable")

/** Whether a write cannot have changed anything: it did not arrive, or was refused before it was looked at. */
export const isUnsent = (error: MarketplaceError): boolean => isOfAccount(error) || isTurnedAway(error)

/** Whether a write may have happened: its answer was lost, or could not be read. */
export const isOutcomeUnknown = ({ reason }: MarketplaceError): boolean =>
  reason._tag === "AdsOutcomeUnknown" || (reason._tag === "AdsUnreadable" && reason.kind === "write")

/** Seconds to wait before the next call, if the marketplace asks for a pause. */
export const retryAfter = ({ reason }: MarketplaceError): number | undefined =>
  reason._tag === "AdsRateLimited" || reason._tag === "AdsPartlyDone" ? reason.retryAfterSeconds : undefined

/** Whether phrases and search clusters are closed to this seller; another key would not help. */
export const isClosedToSeller = ({ reason }: MarketplaceError): boolean =>
  reason._tag === "AdsForbidden" && reason.detail.includes("norm_query")

/** Whether the marketplace has switched the operation off for everybody. */
export const isSwitchedOff = ({ operation, reason }: MarketplaceError): boolean =>
  reason._tag === "AdsNotFound" && operation === operations.getStatsKeywords.name
