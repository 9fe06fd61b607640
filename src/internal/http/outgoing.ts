import { type Duration, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"

import type { RequestEffect } from "./outcome.ts"

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
  /** What it does there. Default: a GET reads, everything else writes. */
  readonly effect?: RequestEffect
  /** Whether it is waited for once it has left, also when the caller leaves. Default: it is cut off. */
  readonly finishes?: boolean
  /** Total for this call: waiting for its turn, redirects, retries and reading the answer. Default 30 seconds. */
  readonly timeout?: Duration.Input
}

export const effectOf = ({ effect, method }: Pick<UpstreamRequest, "effect" | "method">): RequestEffect =>
  effect ?? (method === "GET" ? "read" : "write")

/** The address of a request, its query included. */
export const urlOf = (baseUrl: string, { path, query = {} }: UpstreamRequest): URL => {
  const url = new URL(baseUrl + path)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

/** The request as it goes out, its secrets opened. */
export const toClientRequest = (request: UpstreamRequest, url: URL): HttpClientRequest.HttpClientRequest => {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [
    name,
    Redacted.isRedacted(value) ? Redacted.value(value) : value
  ])
  const bare = HttpClientRequest.make(request.method)(url, { headers: Object.fromEntries(headers) })
  if (request.body !== undefined) return HttpClientRequest.bodyJsonUnsafe(bare, request.body)
  return request.form === undefined ? bare : HttpClientRequest.bodyFormDataRecord(bare, request.form)
}

/** Names of the headers whose values are nobody's business. */
export const secretHeaders = ({ headers = {} }: UpstreamRequest): ReadonlyArray<string> =>
  Object.keys(headers).filter((name) => Redacted.isRedacted(headers[name]))
