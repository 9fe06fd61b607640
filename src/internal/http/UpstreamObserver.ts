import { Cause, Context, type Effect, Exit, Result } from "effect"

import type { Reply } from "./Reply.ts"
import type { UpstreamFailure } from "./UpstreamFailure.ts"

/** A request to an upstream as observers see it: without its contents, and the ids in its URL. */
export interface UpstreamCall {
  /** The upstream's name in the configuration. */
  readonly upstream: string
  readonly method: string
  /** The path with every id left out, where it is one of the upstream's API. */
  readonly route: string | undefined
  readonly address: string
  readonly port: number
  /** Statuses that do not count as failures here, because they are answers to the question. */
  readonly expected: ReadonlyArray<number>
  /** Number of times that it was sent before. */
  readonly resends: number
}

/** The end of a request: the status of the answer, or the reason why there is none. */
export type End = { readonly status: number } | { readonly error: string }

/** Observes a single request. */
export interface Observation {
  /** Headers to send along, so that the upstream's traces continue this one. */
  readonly headers: Readonly<Record<string, string>>
  /** Its turn has come, and it is sent. */
  readonly left: Effect.Effect<void>
  readonly ended: (end: End) => Effect.Effect<void>
  /** It has ended, and does not go out again: that end is what the caller gets. */
  readonly concluded: Effect.Effect<void>
}

/** Observes requests to upstreams. By default nothing does. */
export const UpstreamObserver = Context.Reference<((call: UpstreamCall) => Effect.Effect<Observation>) | undefined>(
  "workflow-tool-server/http/UpstreamObserver",
  { defaultValue: () => undefined }
)

/** The end of one attempt. Where it was cut off, `isLate` tells whether its time was over. */
export const endOf = (exit: Exit.Exit<Result.Result<Reply, UpstreamFailure>>, isLate: boolean): End => {
  if (Exit.isFailure(exit)) {
    if (!Cause.hasInterruptsOnly(exit.cause)) return { error: "defect" }
    return { error: isLate ? "timeout" : "cancelled" }
  }
  return Result.isSuccess(exit.value) ? { status: exit.value.success.status } : { error: errorOf(exit.value.failure) }
}

const errorOf = (failure: UpstreamFailure): string => {
  switch (failure._tag) {
    case "Unreachable":
      return failure.code
    case "UpstreamTimeout":
      return "timeout"
    case "RedirectRefused":
      return "redirect_refused"
    default:
      return "reply_too_large"
  }
}
