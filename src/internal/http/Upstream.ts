import { Duration, Effect, Fiber, Result, Schedule, Semaphore } from "effect"
import type { HttpClient } from "effect/http"

import { type TimeLimit, monotonicMillis, timeLimit } from "../time.ts"
import { makePacer, type Pacer } from "./Coordination.ts"
import { oneUpstream } from "./MemoryBudget.ts"
import { readReply, type Reply } from "./Reply.ts"
import * as Resend from "./resend.ts"
import {
  type Answer,
  effectOf,
  redirectRefusal,
  redirectTarget,
  type Transport,
  transportOf,
  type UpstreamRequest,
  urlOf
} from "./Transport.ts"
import { inWords, neverLeft, transportCode } from "./transportCode.ts"
import { type Phase, RedirectRefused, Unreachable, type UpstreamFailure, UpstreamTimeout } from "./UpstreamFailure.ts"
import { endOf, type Observation, type UpstreamCall, UpstreamObserver } from "./UpstreamObserver.ts"

export { effectOf, type UpstreamRequest } from "./Transport.ts"
export type { Reply } from "./Reply.ts"

export interface UpstreamOptions {
  /** The URL to which paths are appended: scheme, host, and a path without a trailing slash. */
  readonly baseUrl: string
  /** Most requests that leave in any one second, redirects and retries counted. Default 90. */
  readonly requestsPerSecond?: number
  /** The pacer that lets them leave, in place of `requestsPerSecond`. */
  readonly pacer?: Pacer
  /** Requests on their way at once. Default 10. */
  readonly concurrency?: number
  /** Largest answer in bytes, counted after decompression. Default 64 MiB. */
  readonly maxReplyBytes?: number
  /** Further attempts after the first, where repeating does no harm. Default 2. */
  readonly retries?: number
  /** The policy for a request that had no success, in place of `retries`. */
  readonly retry?: Resend.RetryPolicy
  /** Watches over the time of requests; by default each has a clock of its own. */
  readonly inTime?: TimeLimit
  /** The facts that observers are told; without them, nothing is. */
  readonly observed?: Observed
}

/** The facts about an upstream and its requests for observers. */
interface Observed {
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
  const { inTime = timeLimit } = options
  const retry = options.retry ?? Resend.make(options.retries ?? 2)
  const slots = Semaphore.makeUnsafe(options.concurrency ?? 10)
  const underWay = Semaphore.makeUnsafe(oneUpstream)
  const pacer = options.pacer ?? makePacer(options.requestsPerSecond ?? 90)
  const transport = transportOf(client)

  const follow = makeExchange({ transport, pacer, maxReplyBytes, underWay, isTold: options.observed?.isTold === true })

  const attemptOnce = (request: UpstreamRequest, progress: Progress) =>
    Effect.result(slots.withPermit(Effect.suspend(() => follow(request, urlOf(options.baseUrl, request), progress))))

  /** One attempt, told to whoever observes what goes to upstreams. */
  const exchange = (
    request: UpstreamRequest,
    progress: Progress,
    until: number,
    observer: ActiveObserver | undefined
  ) => {
    if (observer === undefined) return attemptOnce(request, progress)
    return Effect.acquireUseRelease(
      observer.begin(outgoingOf(observer.observed, options.baseUrl, request, progress.resends++)),
      (observation) => {
        progress.observation = observation
        return attemptOnce(request, progress)
      },
      ({ ended }, exit) => Effect.flatMap(monotonicMillis, (now) => ended(endOf(exit, now >= until)))
    )
  }

  /** Repeats a request as the policy says, as long as an answer can still come in time. */
  const exchangeWithRetries = (
    request: UpstreamRequest,
    progress: Progress,
    until: number,
    observer: ActiveObserver | undefined
  ) => {
    const effect = effectOf(request)
    const attempt = Effect.suspend(() => {
      // A write goes out again only where the one before did nothing.
      if (effect === "write") progress.sent = false
      return exchange(request, progress, until, observer)
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

  const sendObserved = (request: UpstreamRequest, observer: ActiveObserver | undefined) =>
    Effect.flatMap(monotonicMillis, (now): Effect.Effect<Reply, UpstreamFailure> => {
      const milliseconds = Math.round(Duration.toMillis(request.timeout ?? "30 seconds"))
      if (milliseconds <= 0) return Effect.fail(new UpstreamTimeout({ milliseconds: 0, sent: false }))
      const progress: Progress = { sent: false, resends: 0, observation: undefined }
      const concluded = Effect.suspend(() => progress.observation?.concluded ?? Effect.void)
      const exchanging = exchangeWithRetries(request, progress, now + milliseconds, observer)
      const exchanged = inTime(
        observer === undefined ? exchanging : Effect.ensuring(exchanging, concluded),
        milliseconds,
        () => new UpstreamTimeout({ milliseconds, sent: progress.sent })
      )
      return request.finishes === true ? toItsEnd(exchanged, progress) : exchanged
    })

  const { observed } = options
  if (observed === undefined) return { send: (request) => sendObserved(request, undefined) }
  return {
    send: (request) =>
      Effect.flatMap(UpstreamObserver, (begin) =>
        sendObserved(request, begin === undefined ? undefined : { observed, begin })
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
const toItsEnd = <A, E, R>(request: Effect.Effect<A, E, R>, progress: Progress) =>
  Effect.uninterruptible(
    Effect.flatMap(Effect.forkChild(request, { startImmediately: true }), (fiber) =>
      Effect.interruptible(Fiber.join(fiber)).pipe(
        Effect.onInterrupt(() => (progress.sent ? Effect.asVoid(Fiber.await(fiber)) : Fiber.interrupt(fiber)))
      )
    )
  )

/** The observer of requests, and the facts that it gets of each. */
interface ActiveObserver {
  readonly observed: Observed
  readonly begin: NonNullable<typeof UpstreamObserver.Service>
}

const outgoingOf = (
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

/** The resources and limits of an exchange. */
interface ExchangeOptions {
  readonly transport: Transport
  readonly pacer: Pacer
  readonly maxReplyBytes: number
  /** Bytes that may be on their way from the upstream, of answers that are counted. */
  readonly underWay: Semaphore.Semaphore
  /** Whether the upstream is told which trace a request belongs to. */
  readonly isTold: boolean
}

/** The progress of a request. */
interface Progress {
  /** Whether a request that counts may have reached the upstream. */
  sent: boolean
  /** Attempts before the one that is under way, where somebody observes them. */
  resends: number
  observation: Observation | undefined
}

/** One request and its reply, from wherever it is redirected to. */
const makeExchange = ({ isTold, maxReplyBytes, pacer, transport, underWay }: ExchangeOptions) => {
  /** One request and its reply, or the address it redirects to. */
  const ask = (request: UpstreamRequest, url: URL, progress: Progress) => {
    const leaving = Effect.suspend(() => {
      progress.sent = true
      const { observation } = progress
      if (observation === undefined) return transport.execute(request, url)
      const traceHeaders = isTold ? observation.headers : {}
      const outgoing = { ...request, headers: { ...request.headers, ...traceHeaders } }
      return Effect.andThen(observation.left, transport.execute(outgoing, url))
    })
    const take = (answer: Answer): Effect.Effect<Redirect | Reply, UpstreamFailure> => {
      const target = redirectTarget(answer, url)
      const { headers, status } = answer
      if (target !== undefined) return Effect.succeed({ status, headers, target })
      const reading = { limit: maxReplyBytes, selection: request.selection, take: request.take, underWay }
      return Effect.catchTag(readReply(answer, reading), "TransportError", unreachable("reading"))
    }
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.catch(restore(pacer.run(leaving)), unreachable("waiting")), (answer) =>
        Effect.ensuring(restore(take(answer)), answer.close)
      )
    )
  }

  /** The reply, from wherever it is redirected to. */
  const follow = (
    request: UpstreamRequest,
    url: URL,
    progress: Progress,
    hops = 0
  ): Effect.Effect<Reply, UpstreamFailure> =>
    Effect.flatMap(ask(request, url, progress), (outcome) => {
      if (!("target" in outcome)) return Effect.succeed(outcome)
      const { headers, status, target } = outcome
      const problem = redirectRefusal(request.method, url, target, hops)
      if (problem === undefined) return follow(request, target, progress, hops + 1)
      return request.takesRedirect === true
        ? Effect.succeed({ status, headers, text: "" })
        : Effect.fail(new RedirectRefused({ status, problem }))
    })

  return follow
}

/** The target of a redirect. */
interface Redirect extends Omit<Reply, "text"> {
  readonly target: URL
}

const unreachable = (phase: Phase) => (error: unknown) => {
  const code = transportCode(error) ?? "NETWORK_ERROR"
  return Effect.fail(new Unreachable({ code, problem: inWords(code), phase: neverLeft(error) ? "connecting" : phase }))
}
