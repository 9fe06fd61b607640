import type { Result } from "effect"

import type { Reply } from "./Reply.ts"
import type { UpstreamFailure } from "./UpstreamFailure.ts"

/** What a request does there: nothing, so that it may be sent twice, or something that must happen once at most. */
export type RequestEffect = "read" | "write"

/** How one request ended. */
export type Outcome = Result.Result<Reply, UpstreamFailure>

/** Whether nothing of a request can have reached the upstream. */
export const neverArrived = (failure: UpstreamFailure): boolean =>
  (failure._tag === "Unreachable" && failure.phase === "connecting") ||
  (failure._tag === "UpstreamTimeout" && !failure.sent)

/** Whether a request that got no answer may or may not have changed something. A redirect is a refusal. */
export const isOutcomeUnknown = (effect: RequestEffect, failure: UpstreamFailure): boolean =>
  effect === "write" && failure._tag !== "RedirectRefused" && !neverArrived(failure)
