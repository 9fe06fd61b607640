import { Effect, Schema } from "effect"

import type { PlanError } from "../../changes/PlanError.ts"
import { detailsOf, type InvalidArgument, ToolError } from "../../mcp/ToolError.ts"
import { explain, fixedAdvice } from "../apply/advice.ts"
import { MarketplaceError, type Reason } from "../client/MarketplaceError.ts"
import type { FloorsPending } from "../report/LowestBids.ts"

/** A read or a plan was not done in time, because the marketplace allows few of the calls that it needs. */
export class TooLong extends Schema.TaggedError<TooLong>()("TooLong", { seconds: Schema.Int }) {
  override get message() {
    return (
      `Not done within ${this.seconds} seconds under the marketplace's limits; nothing was changed. Ask for fewer days, ` +
      "campaigns or articles at once, or again in a minute."
    )
  }
}

/** The statistics that a plan is made from are not all read yet; what was read is kept. */
export class StatisticsPending extends Schema.TaggedError<StatisticsPending>()("StatisticsPending", {
  problem: Schema.String
}) {
  override get message() {
    return `No plan yet. ${this.problem}`
  }
}

type OwnError = FloorsPending | PlanError | StatisticsPending | TooLong
type Tag = OwnError["_tag"] | Reason["_tag"]

/** Errors with the side to blame and this toolset's code. A new error or reason does not compile until it has a row. */
const kinds: { readonly [tag in Tag]: readonly [blame: "caller" | "upstream", code: string] } = {
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
  NotAgreed: ["caller", "ADS_NOT_AGREED"],
  NothingToRollBack: ["caller", "ADS_NOTHING_TO_ROLL_BACK"],
  PlanExpired: ["caller", "ADS_PLAN_EXPIRED"],
  PlanNotFound: ["caller", "ADS_PLAN_NOT_FOUND"],
  PlanSpent: ["caller", "ADS_PLAN_SPENT"],
  StatisticsPending: ["upstream", "ADS_STATISTICS_PENDING"],
  JournalFailed: ["upstream", "ADS_JOURNAL_FAILED"],
  TooLong: ["upstream", "ADS_TOO_LONG"]
}

/** The one place where an error of this toolset becomes a tool's error, with its fields as details. */
export const refusal = (error: MarketplaceError | OwnError): ToolError => {
  if (!(error instanceof MarketplaceError)) {
    return rendered(error._tag, error.message, detailsOf(error), "advice" in error ? { advice: error.advice } : {})
  }
  const { operation, reason } = error
  const advice = fixedAdvice(reason)
  const details = { operation, ...detailsOf(reason), ...(advice === undefined ? {} : { advice }) }
  return rendered(reason._tag, explain(error), details)
}

const rendered = (tag: Tag, message: string, details: ToolError["details"], advice: Pick<ToolError, "advice"> = {}) => {
  const [blame, code] = kinds[tag]
  return new ToolError({ blame, code, message, details, ...advice })
}

/** A program of this toolset, with its errors turned into those of tools. */
export const orRefuse = <A, R>(
  program: Effect.Effect<A, InvalidArgument | MarketplaceError | OwnError | ToolError, R>
): Effect.Effect<A, InvalidArgument | ToolError, R> =>
  Effect.mapError(program, (error) =>
    error._tag === "InvalidArgument" || error._tag === "ToolError" ? error : refusal(error)
  )
