import { DateTime, Option, Result } from "effect"
import { Headers } from "effect/http"

import type { Reply } from "./Reply.ts"
import type { UpstreamFailure } from "./UpstreamFailure.ts"

export const maxRetries = 2
const longestWait = 5000

/** Whether the same request may be sent again after this outcome (decision E1). */
export const mayRepeat = (outcome: Result.Result<Reply, UpstreamFailure>, repeatable: boolean): boolean => {
  if (Result.isSuccess(outcome)) {
    const { status } = outcome.success
    return status === 429 || (repeatable && (status === 502 || status === 503 || status === 504))
  }
  const { failure } = outcome
  if (failure._tag !== "Unreachable") return false
  return failure.phase === "connecting" || (repeatable && failure.phase === "waiting")
}

/**
 * Milliseconds to wait before the next attempt: what the upstream asks for, up to 5 s, else a random part (`random`
 * from 0 to 1) of 100 ms that doubles with every attempt.
 */
export const wait = (
  outcome: Result.Result<Reply, UpstreamFailure>,
  attempt: number,
  now: number,
  random: number
): number => {
  const asked = Result.isSuccess(outcome) ? retryAfter(outcome.success.headers, now) : undefined
  return asked === undefined ? random * 100 * 2 ** attempt : Math.min(Math.max(asked, 0), longestWait)
}

/** `Retry-After` as milliseconds from now: seconds or an HTTP date; anything else does not count. */
const retryAfter = (headers: Headers.Headers, now: number): number | undefined => {
  const value = Option.getOrUndefined(Headers.get(headers, "retry-after"))?.trim() ?? ""
  if (/^\d+$/.test(value)) return Number(value) * 1000
  if (!value.endsWith("GMT")) return undefined
  return Option.getOrUndefined(Option.map(DateTime.make(value), (date) => DateTime.toEpochMillis(date) - now))
}
