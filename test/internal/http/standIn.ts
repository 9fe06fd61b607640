import { Clock, Effect } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"

/** The reaction of a stand-in for an upstream to one request. */
export type Step = (
  request: HttpClientRequest.HttpClientRequest
) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

export const answers =
  (status: number, headers: Readonly<Record<string, string>> = {}, body: ReadableStream | string | null = "{}"): Step =>
  (request) =>
    Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(body, { status, headers })))

export const redirects = (status: number, location: string): Step => answers(status, { location }, null)

/** A connection that fails before any answer, with one of the system's codes. */
export const breaks =
  (code: string): Step =>
  (request) => {
    const cause = Object.assign(new Error(code), { code })
    return Effect.fail(
      new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
    )
  }

export const hangs: Step = () => Effect.never

export const takes =
  (milliseconds: number, step: Step): Step =>
  (request) =>
    Effect.delay(step(request), milliseconds)

/** A client that plays these steps, the last one for every further request, and keeps count of what it is asked. */
export const standIn = (...steps: readonly [Step, ...Array<Step>]) => {
  const requests: Array<{ readonly at: number; readonly method: string; readonly url: string }> = []
  const counts = { going: 0, most: 0, cutOff: 0 }
  const client = HttpClient.make((request, url) =>
    Effect.gen(function* () {
      const step = steps[Math.min(requests.length, steps.length - 1)] ?? steps[0]
      requests.push({ at: yield* Clock.currentTimeMillis, method: request.method, url: url.href })
      counts.most = Math.max(counts.most, ++counts.going)
      return yield* step(request)
    }).pipe(
      Effect.onInterrupt(() => Effect.sync(() => counts.cutOff++)),
      Effect.ensuring(Effect.sync(() => counts.going--))
    )
  )
  return { client, requests, counts }
}
