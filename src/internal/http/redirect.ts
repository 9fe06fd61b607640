import { Option } from "effect"
import { Headers, type HttpClientResponse } from "effect/http"

const maxRedirects = 5

/** Where a reply redirects to, or nothing when it does not. */
export const target = (response: HttpClientResponse.HttpClientResponse, from: URL): URL | undefined => {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined
  const location = Option.getOrUndefined(Headers.get(response.headers, "location"))
  return location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined
}

/** Why a redirect is not followed, or nothing when it is: a GET, on the same origin, at most five times (decision E2). */
export const refusal = (method: string, from: URL, to: URL, hops: number): string | undefined => {
  const place = `to ${to.origin === "null" ? to.protocol : to.origin}`
  if (to.origin !== from.origin)
    return `the host redirects ${place}, and the key is never sent to another origin; configure that host if it is the right one`
  if (method !== "GET") return `the host redirects a ${method} ${place}, and only reads follow redirects`
  if (hops >= maxRedirects) return `the host redirects more than ${maxRedirects} times`
  return undefined
}
