import { Effect, Layer } from "effect"
import { HttpClient, HttpClientError, type HttpClientResponse } from "effect/http"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import type { TraceData } from "effect/observability/OtlpTracer"

import { inWords, transportCode } from "../../internal/http/transportCode.ts"
import { version } from "../../version.ts"
import { nodeHttpClient } from "../upstream/nodeHttpClient.ts"
import type { Signal, SignalName } from "./otel.ts"

/** Most concurrent deliveries; further ones fail at once, so that what waits does not fill the memory. */
const mostUnderWay = 4

/** A delivery is retried; only one that fails twice in a row is logged. */
const worthAWord = 2

/** The state that all deliveries share: trouble is logged once when it begins, and once when it is over. */
export const makeTrouble = () => {
  const failing = new Set<SignalName>()
  let isLast = false
  return {
    /** Whether this is the last delivery. */
    isLast: () => isLast,
    lastBegins: () => {
      isLast = true
    },
    begins: Effect.fnUntraced(function* (name: SignalName, url: string, problem: string) {
      const isNews = failing.size === 0
      failing.add(name)
      if (!isNews) return
      yield* Effect.logWarning(
        `Telemetry cannot be delivered to ${new URL(url).origin}: ${problem}. ` +
          (isLast
            ? "What was last to be told is lost."
            : "Calls go on without it; what happens meanwhile is lost, and delivering is tried again every minute.")
      )
    }),
    ends: Effect.fnUntraced(function* (name: SignalName, url: string) {
      if (failing.delete(name) && failing.size === 0) {
        yield* Effect.logInfo(`Telemetry is delivered to ${new URL(url).origin} again`)
      }
    })
  }
}

type Trouble = ReturnType<typeof makeTrouble>

/** A client for one signal. No delivery takes longer than its timeout. */
export const deliveryClient = Effect.fnUntraced(function* (
  name: SignalName,
  { caFile, timeout, url }: Signal,
  trouble: Trouble
) {
  const client = yield* nodeHttpClient(caFile === undefined ? {} : { caFile })
  let underWay = 0
  let failures = 0

  const failed = Effect.fnUntraced(function* (problem: string, isFinal: boolean) {
    failures++
    if (isFinal || trouble.isLast() || failures >= worthAWord) yield* trouble.begins(name, url, problem)
  })

  const judge = (response: HttpClientResponse.HttpClientResponse) => {
    const { status } = response
    if (status >= 200 && status < 300) {
      failures = 0
      return trouble.ends(name, url)
    }
    return failed(`it answers ${status}`, !HttpClient.isTransientResponse(response))
  }

  return HttpClient.transform(client, (sending, request) => {
    const refused = (code: string) =>
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.TransportError({ request, cause: { code } })
      })
    return Effect.suspend(() => {
      if (underWay >= mostUnderWay) return Effect.fail(refused("EBUSY"))
      underWay++
      return sending.pipe(
        Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(refused("ETIMEDOUT")) }),
        Effect.ensuring(Effect.sync(() => underWay--))
      )
    }).pipe(
      Effect.tap(judge),
      Effect.tapError((error) => failed(problemOf(error), false)),
      // At the end of the process, nobody waits for a second attempt.
      Effect.mapError((error) =>
        trouble.isLast()
          ? new HttpClientError.HttpClientError({ reason: new HttpClientError.EncodeError({ request, cause: error }) })
          : error
      )
    )
  })
})

const problemOf = (error: HttpClientError.HttpClientError): string => {
  const code = transportCode(error) ?? "NETWORK_ERROR"
  if (code === "ETIMEDOUT") return "it does not answer in time"
  return code === "EBUSY" ? "it is too slow" : inWords(code)
}

const scope = { name: "workflow-tool-server", version }

/** Spans under our name, and without the stack of an error: its code, which is all that is sent, is their status. */
const ours = ({ resourceSpans }: TraceData): TraceData => ({
  resourceSpans: resourceSpans.map((resource) => ({
    ...resource,
    scopeSpans: resource.scopeSpans.map(({ spans }) => ({
      scope,
      spans: spans.map((span) => ({ ...span, events: span.events.filter(({ name }) => name !== "exception") }))
    }))
  }))
})

/** The serialisation of telemetry. */
export const serialization = (protocol: Signal["protocol"]): Layer.Layer<OtlpSerialization.OtlpSerialization> =>
  Layer.effect(
    OtlpSerialization.OtlpSerialization,
    Effect.map(OtlpSerialization.OtlpSerialization, ({ logs, metrics, traces }) => ({
      logs,
      metrics,
      traces: (data: TraceData) => traces(ours(data))
    }))
  ).pipe(Layer.provide(protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf))
