import { Match, Option, Result } from "effect"
import { Headers } from "effect/http"

import type { NoTurn } from "../../internal/http/Coordination.ts"
import * as Resend from "../../internal/http/resend.ts"
import type { Reply } from "../../internal/http/Upstream.ts"
import { isOutcomeUnknown, type UpstreamFailure } from "../../internal/http/UpstreamFailure.ts"
import { AdsOutcomeUnknown, AdsRateLimited, AdsUnreachable, MarketplaceError, type Reason } from "./MarketplaceError.ts"
import type { Operation } from "./operations.ts"
import { cameAsPage, isPage, refusal } from "./refusal.ts"

/** The next step after an attempt. */
type Next =
  | { readonly is: "answer"; readonly text: string }
  | { readonly is: "again" }
  /** The marketplace has not processed the request and asks for a pause. */
  | { readonly is: "pause"; readonly ms: number }
  | { readonly is: "over"; readonly error: MarketplaceError }

/** A request goes out again for the reasons of `resend`, as long as that is allowed. */
export const nextOf = (
  operation: Operation,
  outcome: Result.Result<Reply, NoTurn | UpstreamFailure>,
  isAllowed: boolean,
  address: string
): Next => {
  const { kind, name } = operation
  const mayRepeat = (reason: Resend.Reason | undefined) =>
    isAllowed && reason !== undefined && Resend.mayResend(reason, kind)
  if (Result.isSuccess(outcome)) {
    const { headers, status, text } = outcome.success
    if (status >= 200 && status < 300) return { is: "answer", text }
    const reason = Resend.reasonOf(Result.succeed(outcome.success))
    if (reason === "too many requests") return { is: "pause", ms: secondsToWait(headers) * 1000 }
    if (status >= 500 && kind === "write") {
      return over(failed(name, new AdsOutcomeUnknown({ detail: `the answer was status ${status}` })))
    }
    if (status < 500 && isPage(text)) return over(notTheInterface(name, status, address))
    return mayRepeat(reason) ? { is: "again" } : over(refusal(name, status, text))
  }
  const { failure } = outcome
  if (failure._tag === "NoTurn") return over(usedUp(name, failure.waitMs))
  return mayRepeat(Resend.reasonOf(Result.fail(failure)))
    ? { is: "again" }
    : over(noAnswer(operation, failure, address))
}

/** The limit is exhausted for longer than the caller waits. */
export const usedUp = (operation: string, waitMs: number) =>
  failed(operation, new AdsRateLimited({ retryAfterSeconds: Math.ceil(waitMs / 1000) }))

const failed = (operation: string, reason: Reason) => new MarketplaceError({ operation, reason })

const over = (error: MarketplaceError): Next => ({ is: "over", error })

/** The longest pause that is believed: no published limit has a window of more than an hour. */
const longestPauseSeconds = 86_400

/** Seconds to wait after a 429; one if it does not say. */
const secondsToWait = (headers: Headers.Headers): number => {
  const said = Option.orElse(Headers.get(headers, "x-ratelimit-retry"), () => Headers.get(headers, "retry-after"))
  const seconds = Number(Option.getOrElse(said, () => "1"))
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, longestPauseSeconds) : 1
}

const noAnswer = ({ kind, name }: Operation, failure: UpstreamFailure, address: string) => {
  const detail = inWords(failure, address)
  if (isOutcomeUnknown(kind, failure)) return failed(name, new AdsOutcomeUnknown({ detail }))
  const code = failure._tag === "Unreachable" ? { code: failure.code } : {}
  return failed(name, new AdsUnreachable({ detail, ...code, address }))
}

/** A refusal that is an HTML page does not come from the marketplace, which was not reached. */
const notTheInterface = (name: string, status: number, address: string) =>
  failed(name, new AdsUnreachable({ detail: `${cameAsPage} from ${address}, with status ${status}`, address }))

const inWords = (failure: UpstreamFailure, address: string): string =>
  Match.valueTags(failure, {
    UpstreamTimeout: ({ milliseconds }) => `no answer from ${address} within ${milliseconds} ms`,
    Unreachable: ({ phase, problem }) =>
      phase === "connecting"
        ? `the marketplace cannot be reached at ${address}: ${problem}`
        : `no answer from ${address}: ${problem}`,
    RedirectRefused: ({ problem }) => problem,
    MoreThanUseful: ({ bytes }) => `the answer of ${address} is ${bytes} bytes or more`,
    ReplyTooLarge: ({ limit }) => `the answer of ${address} is larger than ${limit} bytes`
  })
