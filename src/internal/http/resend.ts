import { DateTime, Effect, Option, Random, Result, Schedule } from "effect"
import { Headers } from "effect/http"

import type { Reply } from "./Reply.ts"
import { neverArrived, type RequestEffect, type UpstreamFailure } from "./UpstreamFailure.ts"

/**
 * All reasons for which a request goes out a second time, and what each proves of the first one. A write goes out again only
 * where that has done nothing. `test/resends.test.ts` walks the rows over every change of both clients.
 */
export const reasons = {
  "never arrived": { proves: "no connection was made, so nothing was received", allows: "writes" },
  "too many requests": { proves: "429: it was refused before it was looked at", allows: "writes" },
  "answer lost": { proves: "nothing: it may have been received, and carried out", allows: "reads" },
  "answer broken off": { proves: "nothing: it was received, and may have been carried out", allows: "reads" },
  "gateway's answer": { proves: "nothing: 502, 503 and 504 may follow a request that went through", allows: "reads" },
  "server error": { proves: "nothing: 500 and above may come after the work was done", allows: "reads" },
  "engine starting": { proves: "the engine's own text: it looks at no request yet, as a read shows", allows: "writes" },
  "other key header": { proves: "401: it was refused for its key before it was looked at", allows: "writes" },
  "unknown field": { proves: "400 of the body's schema, which is checked before anything is stored", allows: "writes" },
  "still there": { proves: "a read after it: what was to be deleted is there", allows: "writes" },
  "refused for now": { proves: "409 in the engine's words: it does so in a moment, and has not yet", allows: "writes" },
  "nothing listens": {
    proves: "404 of an address that is not registered, and no run of the call shows",
    allows: "writes"
  }
} as const satisfies Readonly<Record<string, { readonly proves: string; readonly allows: "reads" | "writes" }>>
export type Reason = keyof typeof reasons

/** Whether a request may go out again for a reason; what only reads are allowed is of no use to writes. */
export const mayResend = (reason: Reason, effect: RequestEffect): boolean =>
  effect === "read" || reasons[reason].allows === "writes"

/** A write that goes out again, for a reason that allows it; anything else is a mistake in our code. */
export const again = <A, E, R>(reason: Reason, write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  mayResend(reason, "write") ? write : Effect.die(`a write went out again, but ${reasons[reason].proves}`)

/** The outcome of one request. */
type Outcome = Result.Result<Reply, UpstreamFailure>

/** When the same request goes out again, from how the one before ended. */
export type RetryPolicy = (effect: RequestEffect) => Schedule.Schedule<unknown, Outcome>

const longestWait = 5000

/** Passed on at once all the same: what an upstream trips over, or breaks off, it does again. */
const passedOn: ReadonlyArray<Reason> = ["server error", "answer broken off"]

const isRepeated = (outcome: Outcome, effect: RequestEffect): boolean => {
  const reason = reasonOf(outcome)
  return reason !== undefined && !passedOn.includes(reason) && mayResend(reason, effect)
}

/** At most this many further attempts, if repeating does no harm. */
export const make =
  (times: number): RetryPolicy =>
  (effect) =>
    Schedule.forever.pipe(
      Schedule.setInputType<Outcome>(),
      Schedule.while(({ attempt, input }) => Effect.succeed(attempt <= times && isRepeated(input, effect))),
      Schedule.modifyDelay(({ attempt, input, now }) =>
        Effect.map(Random.next, (random) => wait(input, attempt - 1, now, random))
      )
    )

/** The reason to send a request again that how it ended gives; undefined if it gives none. */
export const reasonOf = (outcome: Outcome): Reason | undefined => {
  if (Result.isSuccess(outcome)) {
    const { status } = outcome.success
    if (status === 429) return "too many requests"
    if (status === 502 || status === 503 || status === 504) return "gateway's answer"
    return status >= 500 ? "server error" : undefined
  }
  const { failure } = outcome
  if (failure._tag !== "Unreachable") return undefined
  if (neverArrived(failure)) return "never arrived"
  return failure.phase === "waiting" ? "answer lost" : "answer broken off"
}

/**
 * Milliseconds to wait before the next attempt: what the upstream asks for, up to 5 s, else a random part (`random`
 * from 0 to 1) of 100 ms that doubles with every attempt.
 */
export const wait = (outcome: Outcome, attempt: number, now: number, random: number): number => {
  const requested = Result.isSuccess(outcome) ? retryAfter(outcome.success.headers, now) : undefined
  return requested === undefined ? random * 100 * 2 ** attempt : Math.min(Math.max(requested, 0), longestWait)
}

/** `Retry-After` as milliseconds from now: seconds or an HTTP date; anything else does not count. */
const retryAfter = (headers: Headers.Headers, now: number): number | undefined => {
  const value = Option.getOrUndefined(Headers.get(headers, "retry-after"))?.trim() ?? ""
  if (/^\d+$/.test(value)) return Number(value) * 1000
  if (!value.endsWith("GMT")) return undefined
  return Option.getOrUndefined(Option.map(DateTime.make(value), (date) => DateTime.toEpochMillis(date) - now))
}
