import { Data, type Duration, Effect, Exit, Option, Predicate, Redacted, Scope, Stream } from "effect"
import { Headers, HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"

import type { Selection } from "../json/Selection.ts"
import type { JsonObject } from "../schema/JsonObject.ts"
import type { RequestEffect } from "./UpstreamFailure.ts"

/** A request to an upstream, below its base URL. */
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
  /** The parts of a large JSON answer that are wanted; the rest may be `null`. Default: everything. */
  readonly selection?: Selection
  /** Takes the objects that the selection hands over. An answer that cannot be used may have handed some over by then. */
  readonly take?: Take | undefined
  /** Its effect on the upstream. Default: a GET reads, everything else writes. */
  readonly effect?: RequestEffect
  /** Statuses that tell what was asked, and that observers are not to take for a failure. */
  readonly expected?: ReadonlyArray<number>
  /** Whether a redirect that is not followed is the answer. Default: it is a failure. */
  readonly takesRedirect?: boolean
  /** Whether a request that was sent goes on when its caller is interrupted. Default: it is aborted. */
  readonly finishes?: boolean
  /** Total for this call: waiting for its turn, redirects, retries and reading the answer. Default 30 seconds. */
  readonly timeout?: Duration.Input
}

/** Takes objects of an answer while the rest of it comes. */
export type Take = (objects: ReadonlyArray<JsonObject>) => Effect.Effect<void>

export const effectOf = ({ effect, method }: Pick<UpstreamRequest, "effect" | "method">): RequestEffect =>
  effect ?? (method === "GET" ? "read" : "write")

/** The address of a request, its query included. Engines refuse a `+` or `*` in some values, also where it stands for a blank or itself. */
export const urlOf = (baseUrl: string, { path, query = {} }: UpstreamRequest): URL => {
  const url = new URL(baseUrl + path)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  url.search = url.search.replaceAll("+", "%20").replaceAll("*", "%2A")
  return url
}

/** The headers as they go out, their secrets opened. */
export const openHeaders = ({ headers = {} }: UpstreamRequest): Record<string, string> => {
  const open: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    open[name.toLowerCase()] = Redacted.isRedacted(value) ? Redacted.value(value) : value
  }
  return open
}

/** The request as a client sends it, its secrets opened. */
export const toClientRequest = (request: UpstreamRequest, url: URL): HttpClientRequest.HttpClientRequest => {
  // Clients write the values of a query that they have taken apart in their own way, blanks as `+`.
  const address = /%2[0A]/.test(url.search) ? url.href : url
  const bare = HttpClientRequest.make(request.method)(address, { headers: openHeaders(request) })
  if (request.body !== undefined) return HttpClientRequest.bodyJsonUnsafe(bare, request.body)
  return request.form === undefined ? bare : HttpClientRequest.bodyFormDataRecord(bare, request.form)
}

/** Names of the headers whose values are secret. */
const secretHeaders = ({ headers = {} }: UpstreamRequest): ReadonlyArray<string> =>
  Object.keys(headers).filter((name) => Redacted.isRedacted(headers[name]))

const maxRedirects = 5

/** The target of a redirect; undefined if a reply is none. */
export const redirectTarget = (
  { headers, status }: { readonly headers: Headers.Headers; readonly status: number },
  from: URL
): URL | undefined => {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined
  const location = Option.getOrUndefined(Headers.get(headers, "location"))
  return location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined
}

/** The reason why a redirect is not followed; undefined if it is: a GET, on the same origin, at most five times. */
export const redirectRefusal = (method: string, from: URL, to: URL, hops: number): string | undefined => {
  const place = `to ${to.origin === "null" ? to.protocol : to.origin}`
  if (to.origin !== from.origin)
    return `the host redirects ${place}, and the key is never sent to another origin; configure that host if it is the right one`
  if (method !== "GET") return `the host redirects a ${method} ${place}, and only reads follow redirects`
  if (hops >= maxRedirects) return `the host redirects more than ${maxRedirects} times`
  return undefined
}

/** Scheme, host and port, and nothing else of a URL: no user, no path, no query. */
const originOf = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined
  const { host, protocol } = new URL(url)
  return host === "" ? undefined : `${protocol}//${host}`
}

/** The address of an upstream, for whoever reads why it did not answer. */
export const addressOf = (host: string, proxy?: string): string | undefined => {
  const [address, through] = [originOf(host), proxy === undefined ? undefined : originOf(proxy)]
  return address === undefined || through === undefined ? address : `${address} through the proxy ${through}`
}

/** An answer whose head has come, and whose body is read once: in one piece, or in many. */
export interface Answer {
  readonly status: number
  readonly headers: Headers.Headers
  readonly text: Effect.Effect<string, TransportError>
  readonly stream: Stream.Stream<Uint8Array, TransportError>
  /** Ends it. What was not read by then is cut off with its connection. */
  readonly close: Effect.Effect<void>
}

/** No answer came, or not all of it; the cause knows more. */
export class TransportError extends Data.TaggedError("TransportError")<{ readonly cause: unknown }> {}

/** The way of a request out of this process. Every status is an answer, redirects too; who stops waiting cuts it off. */
export interface Transport {
  readonly execute: (request: UpstreamRequest, url: URL) => Effect.Effect<Answer, TransportError>
}

/** A client that has a shorter way for those who need no more of it than a transport. */
export interface TransportClient extends HttpClient.HttpClient {
  readonly transport: Transport
}

/** The client's own transport, or one over the client: to go through an `HttpClient` takes 85 % more CPU time of a get. */
export const transportOf = (client: HttpClient.HttpClient): Transport =>
  hasTransport(client) ? client.transport : over(HttpClient.withScope(client))

const hasTransport = (client: HttpClient.HttpClient): client is TransportClient =>
  Predicate.hasProperty(client, "transport")

const over = (client: HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope>): Transport => ({
  execute: (request, url) =>
    Effect.suspend(() => {
      const scope = Scope.makeUnsafe()
      const close = Scope.close(scope, Exit.void)
      return client.execute(toClientRequest(request, url)).pipe(
        Effect.mapBoth({
          onSuccess: ({ headers, status, stream, text }): Answer => ({
            status,
            headers,
            text: Effect.mapError(text, failed),
            stream: stream.pipe(
              Stream.catchIf(isEmpty, () => Stream.empty),
              Stream.mapError(failed)
            ),
            close
          }),
          onFailure: failed
        }),
        Effect.onError(() => close),
        Effect.provideService(Scope.Scope, scope),
        Effect.updateService(Headers.CurrentRedactedNames, (names) => [...names, ...secretHeaders(request)]),
        Effect.provideService(HttpClient.TracerPropagationEnabled, false)
      )
    })
})

const failed = (cause: unknown) => new TransportError({ cause })

const isEmpty = ({ reason }: HttpClientError.HttpClientError) => reason._tag === "EmptyBodyError"
