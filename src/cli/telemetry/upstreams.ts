import { Clock, Effect, References, Tracer } from "effect"

import type { End, Observation, UpstreamCall } from "../../internal/http/UpstreamObserver.ts"
import type { Meters } from "./meters.ts"
import { instanceKey } from "./requests.ts"
import { around, exitOf, type makeBegin, traceparent } from "./spans.ts"

/** Observes every request to an upstream: a span, its time in the queue and in flight, and its outcome. */
export const watchUpstreams =
  (meters: Meters, begin: ReturnType<typeof makeBegin> | undefined) =>
  (call: UpstreamCall): Effect.Effect<Observation> =>
    Effect.gen(function* () {
      const { address, method, port, resends, route, upstream } = call
      const place = { [instanceKey]: upstream }
      const startTime = yield* Clock.currentTimeNanos
      const about = { ...place, "http.request.method": method, "server.address": address, "server.port": String(port) }
      const span = (yield* References.TracerEnabled)
        ? begin?.({
            name: route === undefined ? method : `${method} ${route}`,
            kind: "client",
            parent: around(yield* Effect.serviceOption(Tracer.ParentSpan)),
            startTime,
            attributes: {
              ...about,
              "server.port": port,
              ...(route === undefined ? {} : { "url.template": route }),
              ...(resends === 0 ? {} : { "http.request.resend_count": resends })
            }
          })
        : undefined
      let leftAt: bigint | undefined
      let trouble: string | undefined
      meters.waiting(place, 1)

      const left = Effect.map(Clock.currentTimeNanos, (now) => {
        // With redirects, a request is sent several times.
        if (leftAt !== undefined) return
        leftAt = now
        span?.event("sent", now)
        meters.waiting(place, -1)
        meters.underWay(place, 1)
        meters.queue(seconds(startTime, now), place)
      })

      const ended = (end: End) =>
        Effect.map(Clock.currentTimeNanos, (now) => {
          const error = errorOf(end)
          const result: Readonly<Record<string, string>> = {
            ...("status" in end ? { "http.response.status_code": String(end.status) } : {}),
            ...(error === undefined ? {} : { "error.type": error })
          }
          if (leftAt === undefined) meters.waiting(place, -1)
          else {
            meters.underWay(place, -1)
            meters.request(seconds(leftAt, now), { ...about, ...result })
          }
          trouble = isTrouble(end, call) ? error : undefined
          if (error === undefined) meters.succeeded(Number(now / 1_000_000n) / 1000, place)
          for (const [key, value] of Object.entries(result)) span?.attribute(key, value)
          if ("status" in end) span?.attribute("http.response.status_code", end.status)
          span?.end(now, exitOf(error))
        })

      /** A request that succeeded in another attempt did not fail. */
      const concluded = Effect.sync(() => {
        if (trouble !== undefined) meters.failure({ ...place, "error.type": trouble })
      })

      return { headers: span === undefined ? {} : { traceparent: traceparent(span) }, left, ended, concluded }
    })

/** As OpenTelemetry specifies for clients: every status from 400 on is an error, named by its number. */
const errorOf = (end: End): string | undefined => {
  if ("error" in end) return end.error
  return end.status >= 400 ? String(end.status) : undefined
}

/** Whether something is wrong with the upstream or the connection to it, rather than with the request. */
const isTrouble = (end: End, { expected }: UpstreamCall): boolean => {
  if ("error" in end) return end.error !== "cancelled"
  return (end.status >= 500 || [401, 403, 429].includes(end.status)) && !expected.includes(end.status)
}

const seconds = (from: bigint, to: bigint) => Number(to - from) / 1e9
