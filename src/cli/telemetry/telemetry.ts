import { ConfigProvider, Effect, Layer, Logger, References, Scope, Tracer } from "effect"
import { HttpClient } from "effect/http"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpLogger from "effect/observability/OtlpLogger"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpTracer from "effect/observability/OtlpTracer"

import { UpstreamObserver } from "../../internal/http/UpstreamObserver.ts"
import { RequestObserver } from "../../mcp/protocol/observation.ts"
import { version } from "../../version.ts"
import { deliveryClient, makeTrouble, serialization } from "./delivery.ts"
import { makeMeters } from "./meters.ts"
import { watchRequests, watchUpstreams } from "./observers.ts"
import { type Otel, readOtel, type Signal, type SignalName, type Variables } from "./otel.ts"
import { makeBegin, transparent } from "./spans.ts"

/** Observes the server for as long as the scope lasts, and sends what OpenTelemetry's variables ask for. */
export const telemetry = Effect.fnUntraced(function* (variables: Variables) {
  const otel = readOtel(variables)
  yield* Effect.forEach(otel.problems, (problem) => Effect.logWarning(`${problem}. The server goes on without it.`))
  yield* Effect.forEach(otel.exposed, (origin) =>
    Effect.logWarning(`Telemetry's headers go to ${origin} unencrypted: if they hold a key, give an https:// address`)
  )
  const meters = makeMeters()
  const resource = resourceOf(otel)
  const delivered = yield* makeDelivered
  const { logs, metrics, traces } = otel.signals

  if (metrics !== undefined) {
    const delivering = Effect.provideContext(OtlpMetrics.make({ ...optionsOf(metrics), resource }), meters.context)
    yield* delivered(delivering, "metrics", metrics)
  }
  const logger =
    logs === undefined
      ? undefined
      : yield* delivered(OtlpLogger.make({ ...optionsOf(logs), resource, excludeLogSpans: true }), "logs", logs)
  const tracer =
    traces === undefined
      ? undefined
      : yield* delivered(OtlpTracer.make({ ...optionsOf(traces), resource }), "traces", traces)
  const begin = tracer && makeBegin(tracer, otel.sampler)

  return {
    layer: Layer.mergeAll(
      Layer.succeed(RequestObserver, watchRequests(meters, begin)),
      Layer.succeed(UpstreamObserver, watchUpstreams(meters, begin)),
      logger === undefined ? Layer.empty : Logger.layer([logger], { mergeWithExisting: true }),
      begin === undefined
        ? Layer.empty
        : Layer.merge(Layer.succeed(Tracer.Tracer, transparent), Layer.succeed(References.TracerEnabled, true))
    ),
    record: meters.record,
    text: meters.text
  }
})

const resourceOf = ({ attributes, serviceName }: Otel) => ({
  serviceName,
  serviceVersion: version,
  // Distinguishes several copies.
  attributes: { "service.instance.id": crypto.randomUUID(), ...attributes }
})

const optionsOf = ({ compression, headers, interval, url }: Signal) =>
  ({
    url,
    headers,
    compression,
    exportInterval: interval,
    // Clients wait a few seconds for a server to end, and this is the last thing that it does.
    shutdownTimeout: "1 second"
  }) as const

/**
 * Provides exporters with HTTP clients. At the end all of them flush at once, and then the connections are closed.
 * OpenTelemetry's variables have been read already: the exporters read none themselves.
 */
const makeDelivered = Effect.gen(function* () {
  const trouble = makeTrouble()
  const connections = yield* Effect.acquireRelease(Scope.make(), Scope.close)
  const ends = yield* Effect.acquireRelease(Scope.make("parallel"), (scope, exit) => {
    trouble.lastBegins()
    return Scope.close(scope, exit)
  })
  return <A, R>(exporter: Effect.Effect<A, never, R>, name: SignalName, signal: Signal) =>
    deliveryClient(name, signal, trouble).pipe(
      Effect.provideService(Scope.Scope, connections),
      Effect.zip(Scope.fork(ends, "sequential")),
      Effect.flatMap(([client, end]) =>
        exporter.pipe(
          Effect.provideService(HttpClient.HttpClient, client),
          Effect.provideService(Scope.Scope, end),
          Effect.provide([OtlpExporter.layerFlusher, serialization(signal.protocol)]),
          Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord({}))
        )
      ),
      Effect.catchTag("UnusableConnection", ({ message }) =>
        Effect.as(Effect.logWarning(`OpenTelemetry's certificate: ${message}. No ${name} go out.`), undefined)
      )
    )
})
