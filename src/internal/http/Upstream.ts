import { Duration, Effect, Fiber, Result, Schedule, Semaphore } from "effect"
import type { HttpClient } from "effect/http"

import { withReference } from "../withReference.ts"
import * as Exchange from "./Exchange.ts"
import { oneUpstream } from "./MemoryBudget.ts"
import { atMillis, monotonicMillis } from "./monotonicMillis.ts"
import * as Pacer from "./Pacer.ts"
import type { Reply } from "./Reply.ts"
import { effectOf, type UpstreamRequest, urlOf } from "./request.ts"
import * as Resend from "./resend.ts"
import * as TimeLimit from "./TimeLimit.ts"
import * as Transport from "./Transport.ts"
import { type UpstreamFailure, UpstreamTimeout } from "./UpstreamFailure.ts"
import { endOf, type UpstreamCall, UpstreamObserver } from "./UpstreamObserver.ts"

export { effectOf, type UpstreamRequest } from "./request.ts"
export type { Reply } from "./Reply.ts"

export interface UpstreamOptions {
  /** The URL to which paths are appended: scheme, host, and a path without a trailing slash. */
  readonly baseUrl: string
  /** Most requests that leave in any one second, redirects and retries counted. Default 90. */
  readonly requestsPerSecond?: number
  /** The pacer that lets them leave, in place of `requestsPerSecond`. */
  readonly pacer?: Pacer.Pacer
  /** Requests on their way at once. Default 10. */
  readonly concurrency?: number
  /** Largest answer in bytes, counted after decompression. Default 64 MiB. */
  readonly maxReplyBytes?: number
  /** Further attempts after the first, where repeating does no harm. Default 2. */
  readonly retries?: number
  /** When a request that had no success goes out again, in place of `retries`. */
  readonly retry?: Resend.RetryPolicy
  /** Watches over the time of requests; by default each has a clock of its own. */
  readonly inTime?: TimeLimit.TimeLimit
  /** The facts that observers are told; without them, nothing is. */
  readonly observed?: Observed
}

/** The facts about an upstream and its requests for observers. */
export interface Observed {
  readonly name: string
  /** A path without its ids; nothing where it is none of the API's. */
  readonly route: (path: string) => string | undefined
  /** Whether it is told which trace a request belongs to. */
  readonly isTold: boolean
}

/** One upstream: paced, bounded, timed, and true to its origin. */
export interface Upstream {
  /** Every status is a reply; a failure means that there is none. */
  readonly send: (request: UpstreamRequest) => Effect.Effect<Reply, UpstreamFailure>
}

export const make = (client: HttpClient.HttpClient, options: UpstreamOptions): Upstream => {
  const maxReplyBytes = options.maxReplyBytes ?? 64 * 1024 * 1024
  const { inTime = TimeLimit.alone } = options
  const retry = options.retry ?? Resend.make(options.retries ?? 2)
  const slots = Semaphore.makeUnsafe(options.concurrency ?? 10)
  const underWay = Semaphore.makeUnsafe(oneUpstream)
  const pacer = options.pacer ?? Pacer.make(options.requestsPerSecond ?? 90)
  const transport = Transport.of(client)

  const follow = Exchange.make({ transport, pacer, maxReplyBytes, underWay, isTold: options.observed?.isTold === true })

  const attemptOnce = (request: UpstreamRequest, progress: Exchange.Progress) =>
    Effect.result(slots.withPermit(Effect.suspend(() => follow(request, urlOf(options.baseUrl, request), progress))))

  /** One attempt, told to whoever observes what goes to upstreams. */
  const exchange = (request: UpstreamRequest, progress: Exchange.Progress, until: number, watch: Watch | undefined) => {
    if (watch === undefined) return attemptOnce(request, progress)
    return Effect.acquireUseRelease(
      watch.begin(toldOf(watch.observed, options.baseUrl, request, progress.resends++)),
      (observation) => {
        progress.observation = observation
        return attemptOnce(request, progress)
      },
      ({ ended }, exit) => atMillis((now) => ended(endOf(exit, now >= until)))
    )
  }

  /** Repeats a request as the policy says, as long as an answer can still come in time. */
  const exchangeWithRetries = (
    request: UpstreamRequest,
    progress: Exchange.Progress,
    until: number,
    watch: Watch | undefined
  ) => {
    const effect = effectOf(request)
    const attempt = Effect.suspend(() => {
      // A write goes out again only where the one before did nothing.
      if (effect === "write") progress.sent = false
      return exchange(request, progress, until, watch)
    })
    const inTime = Schedule.while(retry(effect), ({ duration }) =>
      Effect.map(monotonicMillis, (now) => now + Duration.toMillis(duration) < until)
    )
    return Effect.flatMap(attempt, (first) =>
      // Nearly every answer is one that nobody would ask for again: the policy is not even set up for it.
      Result.isSuccess(first) && first.success.status < 300
        ? Effect.succeed(first.success)
        : Effect.flatMap(repeatedFrom(first, attempt, Schedule.passthrough(inTime)), Effect.fromResult)
    )
  }

  const sendWatched = (request: UpstreamRequest, watch: Watch | undefined) =>
    atMillis((now): Effect.Effect<Reply, UpstreamFailure> => {
      const milliseconds = Math.round(Duration.toMillis(request.timeout ?? "30 seconds"))
      if (milliseconds <= 0) return Effect.fail(new UpstreamTimeout({ milliseconds: 0, sent: false }))
      const progress: Exchange.Progress = { sent: false, resends: 0, observation: undefined }
      const concluded = Effect.suspend(() => progress.observation?.concluded ?? Effect.void)
      const exchanging = exchangeWithRetries(request, progress, now + milliseconds, watch)
      const exchanged = inTime(
        watch === undefined ? exchanging : Effect.ensuring(exchanging, concluded),
        milliseconds,
        () => new UpstreamTimeout({ milliseconds, sent: progress.sent })
      )
      return request.finishes === true ? toItsEnd(exchanged, progress) : exchanged
    })

  const { observed } = options
  if (observed === undefined) return { send: (request) => sendWatched(request, undefined) }
  return {
    send: (request) =>
      withReference(UpstreamObserver, (begin) =>
        sendWatched(request, begin === undefined ? undefined : { observed, begin })
      )
  }
}

/** Repeats an attempt as the schedule says, beginning with one that was made already. */
const repeatedFrom = <A, R>(first: A, attempt: Effect.Effect<A, never, R>, schedule: Schedule.Schedule<A, A>) => {
  let isFirst = true
  const next = Effect.suspend(() => {
    if (!isFirst) return attempt
    isFirst = false
    return Effect.succeed(first)
  })
  return Effect.repeat(next, schedule)
}

/** Runs a request to its end once it has left, also when the caller leaves; before that, it is never sent then. */
const toItsEnd = <A, E, R>(request: Effect.Effect<A, E, R>, progress: Exchange.Progress) =>
  Effect.uninterruptible(
    Effect.flatMap(Effect.forkChild(request, { startImmediately: true }), (fiber) =>
      Effect.interruptible(Fiber.join(fiber)).pipe(
        Effect.onInterrupt(() => (progress.sent ? Effect.asVoid(Fiber.await(fiber)) : Fiber.interrupt(fiber)))
      )
    )
  )

/** The observer of a request, and the facts for it. */
interface Watch {
  readonly observed: Observed
  readonly begin: NonNullable<typeof UpstreamObserver.Service>
}

const toldOf = (
  { name, route }: Observed,
  baseUrl: string,
  { expected = [], method, path }: UpstreamRequest,
  resends: number
) => {
  const { hostname, port, protocol } = new URL(baseUrl)
  return {
    upstream: name,
    method,
    route: route(path),
    address: hostname,
    port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
    expected,
    resends
  } satisfies UpstreamCall
}
