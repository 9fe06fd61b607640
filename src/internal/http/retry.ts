import { DateTime, Effect, Option, Random, Result, Schedule } from "effect"
import { Headers } from "effect/http"

import type { Reply } from "./Reply.ts"
import { neverArrived, type RequestEffect, type UpstreamFailure } from "./UpstreamFailure.ts"

/** How one request ended. */
type Outcome = Result.Result<Reply, UpstreamFailure>

/** When the same request goes out again, from how the one before ended. */
export type RetryPolicy = (effect: RequestEffect) => Schedule.Schedule<unknown, Outcome>

const longestWait = 5000

/** At most this many further attempts, if repeating does no harm. */
export const make =
  (times: number): RetryPolicy =>
  (effect) =>
    Schedule.forever.pipe(
      Schedule.setInputType<Outcome>(),
      Schedule.while(({ attempt, input }) => Effect.succeed(attempt <= times && mayRepeat(input, effect))),
      Schedule.modifyDelay(({ attempt, input, now }) =>
        Effect.map(Random.next, (random) => wait(input, attempt - 1, now, random))
      )
    )

/** A write is only sent again if it cannot have arrived, or was refused without being looked at. */
const mayRepeat = (outcome: Outcome, effect: RequestEffect): boolean => {
  const isRead = effect === "read"
  if (Result.isSuccess(outcome)) {
    const { status } = outcome.success
    return status === 429 || (isRead && (status === 502 || status === 503 || status === 504))
  }
  const { failure } = outcome
  return failure._tag === "Unreachable" && (neverArrived(failure) || (isRead && failure.phase === "waiting"))
}

/**
 * Milliseconds to wait before the next attempt: what the upstream asks for, up to 5 s, else a random part (`random`
 * from 0 to 1) of 100 ms that doubles with every attempt.
 */
export const wait = (outcome: Outcome, attempt: number, now: number, random: number): number => {
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
