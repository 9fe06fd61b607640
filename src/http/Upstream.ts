import { Clock, Duration, Effect, Option, Random, Redacted, Semaphore, Stream } from "effect"
import { Headers, type HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"

import * as Pacer from "./Pacer.ts"
import * as Redirect from "./redirect.ts"
import * as Retry from "./retry.ts"
import { failedWhileConnecting, inWords, transportCode } from "./transportCode.ts"
import {
  type Phase,
  RedirectRefused,
  ReplyTooLarge,
  Unreachable,
  type UpstreamFailure,
  UpstreamTimeout
} from "./UpstreamFailure.ts"

export interface UpstreamOptions {
  /** Where paths are appended: scheme, host, and a path without a trailing slash. */
  readonly baseUrl: string
  /** Requests begun in a second; no window of one second sees more than 9 above it. Default 90. */
  readonly requestsPerSecond?: number
  /** Requests on their way at once. Default 10. */
  readonly concurrency?: number
  /** Largest answer in bytes, counted after decompression. Default 64 MiB. */
  readonly maxReplyBytes?: number
  /** Further attempts after the first, where repeating does no harm. Default 2. */
  readonly retries?: number
}

export interface UpstreamRequest {
  readonly method: "DELETE" | "GET" | "HEAD" | "PATCH" | "POST" | "PUT"
  /** Begins with a slash; every value of a caller in it is one encoded segment. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as a multipart form, where there is no `body`. */
  readonly form?: Readonly<Record<string, string>>
  /** Whether sending it twice does no harm. Default: a GET. */
  readonly repeatable?: boolean
  /** Total for this call: waiting for its turn, redirects, retries and reading the answer. Default 30 seconds. */
  readonly timeout?: Duration.Input
}

export interface Reply {
  readonly status: number
  readonly headers: Headers.Headers
  readonly text: string
}

/** One upstream: paced, bounded, timed, and true to its origin. */
export interface Upstream {
  /** Every status is a reply; a failure means that there is none. */
  readonly send: (request: UpstreamRequest) => Effect.Effect<Reply, UpstreamFailure>
}

export const make = (client: HttpClient.HttpClient, options: UpstreamOptions): Upstream => {
  const maxReplyBytes = options.maxReplyBytes ?? 64 * 1024 * 1024
  const retries = options.retries ?? Retry.maxRetries
  const slots = Semaphore.makeUnsafe(options.concurrency ?? 10)
  const turn = Pacer.make({ perSecond: options.requestsPerSecond ?? 90, burst: 9 })

  const exchange = Effect.fnUntraced(
    function* (request: UpstreamRequest, onSent: () => void) {
      let url = urlOf(options.baseUrl, request)
      for (let hops = 0; ; hops++) {
        yield* turn
        onSent()
        const response = yield* client
          .execute(toClientRequest(request, url))
          .pipe(Effect.mapError(unreachable("waiting")))
        const target = Redirect.target(response, url)
        if (target === undefined) {
          const text = yield* readText(response, maxReplyBytes)
          return { status: response.status, headers: response.headers, text }
        }
        const problem = Redirect.refusal(request.method, url, target, hops)
        if (problem !== undefined) return yield* new RedirectRefused({ status: response.status, problem })
        url = target
      }
    },
    slots.withPermit,
    Effect.result
  )

  const exchangeWithRetries = Effect.fnUntraced(function* (request: UpstreamRequest, onSent: () => void) {
    const repeatable = request.repeatable ?? request.method === "GET"
    for (let attempt = 0; ; attempt++) {
      const outcome = yield* exchange(request, onSent)
      if (attempt >= retries || !Retry.mayRepeat(outcome, repeatable)) return yield* Effect.fromResult(outcome)
      yield* Effect.sleep(Retry.wait(outcome, attempt, yield* Clock.currentTimeMillis, yield* Random.next))
    }
  })

  const send = (request: UpstreamRequest) =>
    Effect.suspend(() => {
      const timeout = Duration.fromInputUnsafe(request.timeout ?? "30 seconds")
      let sent = false
      return Effect.timeoutOrElse(
        exchangeWithRetries(request, () => {
          sent = true
        }),
        {
          duration: timeout,
          orElse: () => Effect.fail(new UpstreamTimeout({ milliseconds: Duration.toMillis(timeout), sent }))
        }
      )
    })

  return { send }
}

const urlOf = (baseUrl: string, { path, query = {} }: UpstreamRequest): URL => {
  const url = new URL(baseUrl + path)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

const toClientRequest = (request: UpstreamRequest, url: URL): HttpClientRequest.HttpClientRequest => {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [
    name,
    Redacted.isRedacted(value) ? Redacted.value(value) : value
  ])
  const bare = HttpClientRequest.make(request.method)(url, { headers: Object.fromEntries(headers) })
  if (request.body !== undefined) return HttpClientRequest.bodyJsonUnsafe(bare, request.body)
  return request.form === undefined ? bare : HttpClientRequest.bodyFormDataRecord(bare, request.form)
}

const unreachable = (phase: Phase) => (error: unknown) => {
  const code = transportCode(error) ?? "NETWORK_ERROR"
  return new Unreachable({ code, problem: inWords(code), phase: failedWhileConnecting(code) ? "connecting" : phase })
}

/** The body as text, read no further than the limit. */
const readText = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse, limit: number) {
  const announced = Option.getOrUndefined(Headers.get(response.headers, "content-length"))
  if (announced !== undefined && Number(announced) > limit) return yield* new ReplyTooLarge({ limit })
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ""
  yield* response.stream.pipe(
    Stream.mapError(unreachable("reading")),
    Stream.runForEach((chunk) => {
      bytes += chunk.byteLength
      if (bytes > limit) return Effect.fail(new ReplyTooLarge({ limit }))
      text += decoder.decode(chunk, { stream: true })
      return Effect.void
    })
  )
  return text + decoder.decode()
})
