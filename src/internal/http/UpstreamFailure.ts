import { Schema } from "effect"

/** The time for the whole call ran out. `sent` tells whether a request may have reached the upstream. */
export class UpstreamTimeout extends Schema.TaggedError<UpstreamTimeout>()("UpstreamTimeout", {
  milliseconds: Schema.Int,
  sent: Schema.Boolean
}) {}

/** The phase of a request in which its connection failed. Only while `connecting` can nothing have arrived. */
export const Phase = Schema.Literals(["connecting", "waiting", "reading"])
export type Phase = typeof Phase.Type

/** No whole answer came. `code` is the system's word (ECONNREFUSED, ECONNRESET ...), `problem` says it in plain words. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  code: Schema.String,
  problem: Schema.String,
  phase: Phase
}) {}

/** The upstream sent us elsewhere, and we do not go: the key stays on its origin. */
export class RedirectRefused extends Schema.TaggedError<RedirectRefused>()("RedirectRefused", {
  status: Schema.Int,
  problem: Schema.String
}) {}

/** The answer is larger than what is read. */
export class ReplyTooLarge extends Schema.TaggedError<ReplyTooLarge>()("ReplyTooLarge", {
  limit: Schema.Int
}) {}

/** The answer is larger than the caller can use: it has at least `bytes`. */
export class MoreThanUseful extends Schema.TaggedError<MoreThanUseful>()("MoreThanUseful", {
  bytes: Schema.Int
}) {}

export type UpstreamFailure = MoreThanUseful | RedirectRefused | ReplyTooLarge | Unreachable | UpstreamTimeout

/** The effect of a request: none, so that it may be sent twice, or one that must happen once at most. */
export type RequestEffect = "read" | "write"

/** Whether nothing of a request can have reached the upstream. */
export const neverArrived = (failure: UpstreamFailure): boolean =>
  (failure._tag === "Unreachable" && failure.phase === "connecting") ||
  (failure._tag === "UpstreamTimeout" && !failure.sent)

/** Whether a request that got no answer may or may not have changed something. A redirect is a refusal. */
export const isOutcomeUnknown = (effect: RequestEffect, failure: UpstreamFailure): boolean =>
  effect === "write" && failure._tag !== "RedirectRefused" && !neverArrived(failure)
