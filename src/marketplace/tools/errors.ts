import { Effect } from "effect"

import type { PlanError } from "../../changes/PlanError.ts"
import { type InvalidArgument, ToolError } from "../../mcp/ToolError.ts"
import type { FloorsPending } from "../client/LowestBids.ts"
import type { MarketplaceError } from "../client/MarketplaceError.ts"
import type { TooLong, TooManyCalls } from "./TooLong.ts"

type AdsError = FloorsPending | MarketplaceError | PlanError | TooLong | TooManyCalls

/** Whose move it is, and this toolset's word for the refusal. A new error does not compile until it has a row. */
const kinds: { readonly [tag in AdsError["_tag"]]: readonly [blame: "caller" | "upstream", code: string] } = {
  AdsBadRequest: ["caller", "ADS_BAD_REQUEST"],
  AdsConflict: ["caller", "ADS_CONFLICT"],
  AdsForbidden: ["upstream", "ADS_FORBIDDEN"],
  AdsInvalidRequest: ["caller", "ADS_INVALID_REQUEST"],
  AdsNotFound: ["caller", "ADS_NOT_FOUND"],
  AdsOutcomeUnknown: ["upstream", "ADS_OUTCOME_UNKNOWN"],
  AdsPartlyDone: ["upstream", "ADS_PARTLY_DONE"],
  AdsPaymentRequired: ["upstream", "ADS_PAYMENT_REQUIRED"],
  AdsRateLimited: ["upstream", "ADS_RATE_LIMITED"],
  AdsReadOnly: ["caller", "ADS_READ_ONLY"],
  AdsServerError: ["upstream", "ADS_SERVER_ERROR"],
  AdsUnauthorized: ["upstream", "ADS_UNAUTHORIZED"],
  AdsUnreachable: ["upstream", "ADS_UNREACHABLE"],
  AdsUnreadable: ["upstream", "ADS_UNREADABLE"],
  ApplyStopped: ["upstream", "ADS_APPLY_STOPPED"],
  BidOutOfRange: ["caller", "ADS_BID_OUT_OF_RANGE"],
  CampaignStateRefused: ["caller", "ADS_CAMPAIGN_STATE"],
  CampaignUnreadable: ["upstream", "ADS_UNREADABLE"],
  FloorsPending: ["upstream", "ADS_FLOORS_PENDING"],
  GuardViolation: ["caller", "ADS_GUARD"],
  LowBudget: ["caller", "ADS_LOW_BUDGET"],
  NothingToRollBack: ["caller", "ADS_NOTHING_TO_ROLL_BACK"],
  PlanExpired: ["caller", "ADS_PLAN_EXPIRED"],
  PlanNotFound: ["caller", "ADS_PLAN_NOT_FOUND"],
  PlanSpent: ["caller", "ADS_PLAN_SPENT"],
  JournalFailed: ["upstream", "ADS_JOURNAL_FAILED"],
  TooLong: ["upstream", "ADS_TOO_LONG"],
  TooManyCalls: ["caller", "ADS_TOO_LONG"]
}

/** The one place where an error of the marketplace becomes a tool's error; its fields come along as details. */
export const refusal = (error: AdsError): ToolError => {
  const [blame, code] = kinds[error._tag]
  const fields = Object.entries(error).filter(([name]) => !hidden.includes(name))
  return new ToolError({ blame, code, message: error.message, details: Object.fromEntries(fields) })
}

const hidden: ReadonlyArray<string> = ["_tag", "cause", "isOutcomeUnknown", "message", "name", "stack"]

/** A program of this toolset, whose errors are told as a tool's. */
export const orRefuse = <A, R>(
  program: Effect.Effect<A, AdsError | InvalidArgument, R>
): Effect.Effect<A, InvalidArgument | ToolError, R> =>
  Effect.mapError(program, (error) => (error._tag === "InvalidArgument" ? error : refusal(error)))
