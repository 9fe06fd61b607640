import { Cause, Clock, Effect, Exit, Option, Tracer, References } from "effect"
import { HttpServerRequest } from "effect/http"

import type { End, Observation, UpstreamCall } from "../../internal/http/UpstreamObserver.ts"
import { noteInstance, RequestId } from "../../mcp/callContext.ts"
import type { Outcome } from "../../mcp/protocol/Message.ts"
import { errorOf, type ObservedRequest } from "../../mcp/protocol/observation.ts"
import type { Meters } from "./meters.ts"
import { exitOf, type makeBegin, parentOf, around, traceparent } from "./spans.ts"

/** Observes every request of a client: a span, its duration, and for tools the outcome of the call. */
export const watchRequests =
  (meters: Meters, begin: ReturnType<typeof makeBegin> | undefined) =>
  (serving: Effect.Effect<Outcome>, request: ObservedRequest): Effect.Effect<Outcome> =>
    Effect.gen(function* () {
      const http = Option.getOrUndefined(yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest))
      const startTime = yield* Clock.currentTimeNanos
      const requestId = yield* RequestId
      const about = labelsOf(request, http !== undefined)
      const span = begin?.({
        name: request.target === undefined ? request.method : `${request.method} ${request.target}`,
        kind: "server",
        parent: parentOf(request.meta, http?.headers),
        startTime,
        attributes: {
          ...about,
          ...(request.method === "tools/call" ? { "gen_ai.operation.name": "execute_tool" } : {}),
          "mcp.protocol.version": request.revision,
          ...(request.id === undefined ? {} : { "jsonrpc.request.id": String(request.id).slice(0, 64) }),
          "workflow_tool_server.request.id": requestId
        }
      })
      let instance: string | undefined
      const note = (name: string) =>
        Effect.sync(() => {
          instance = name
        })
      meters.active(1)
      return yield* serving.pipe(
        Effect.provideService(noteInstance, note),
        span === undefined ? (self) => self : Effect.provideService(Tracer.ParentSpan, span),
        Effect.onExit((exit) =>
          Effect.map(Clock.currentTimeNanos, (endTime) => {
            const error = wordOf(exit)
            const failed: Readonly<Record<string, string>> = error === undefined ? {} : { "error.type": error }
            const place: Readonly<Record<string, string>> = instance === undefined ? {} : { [instanceKey]: instance }
            meters.active(-1)
            meters.operation(Number(endTime - startTime) / 1e9, { ...about, ...failed })
            if (request.method === "tools/call") {
              meters.call({
                "gen_ai.tool.name": request.target ?? "_OTHER",
                outcome: error === undefined ? "succeeded" : error === interrupted ? error : "failed",
                ...failed,
                ...place
              })
            }
            for (const [key, value] of Object.entries({ ...failed, ...place })) span?.attribute(key, value)
            span?.end(endTime, exitOf(error))
          })
        )
      )
    })

/** The attribute with the name of an instance. */
const instanceKey = "workflow_tool_server.instance"

const interrupted = "interrupted"

const wordOf = (exit: Exit.Exit<Outcome>): string | undefined => {
  if (Exit.isSuccess(exit)) return errorOf(exit.value)
  return Cause.hasInterruptsOnly(exit.cause) ? interrupted : "INTERNAL_ERROR"
}

/** A command of the shell has no transport. */
const labelsOf = ({ id, method, target }: ObservedRequest, isHttp: boolean): Readonly<Record<string, string>> => ({
  "mcp.method.name": method,
  ...(id === undefined ? {} : { "network.transport": isHttp ? "tcp" : "pipe" }),
  ...(method === "tools/call" && target !== undefined ? { "gen_ai.tool.name": target } : {}),
  ...(method === "prompts/get" && target !== undefined ? { "gen_ai.prompt.name": target } : {})
})

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
          const error = failureOf(end)
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
const failureOf = (end: End): string | undefined => {
  if ("error" in end) return end.error
  return end.status >= 400 ? String(end.status) : undefined
}

/** Whether something is wrong with the upstream or the connection to it, rather than with the request. */
const isTrouble = (end: End, { expected }: UpstreamCall): boolean => {
  if ("error" in end) return end.error !== "cancelled"
  return (end.status >= 500 || [401, 403, 429].includes(end.status)) && !expected.includes(end.status)
}

const seconds = (from: bigint, to: bigint) => Number(to - from) / 1e9
