import { Effect, Layer, type Scope } from "effect"

import type { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import type { Gauge } from "../../mcp/Toolset.ts"
import type { Launch } from "../configuration/Launch.ts"

/** The observers of the server, if there are any. */
export interface Watching {
  readonly layer: Layer.Layer<never>
  /** Takes gauges that nobody has fetched, for whoever is sent metrics. */
  readonly record: (gauges: ReadonlyArray<Gauge>) => void
  /** The answer to `GET /metrics`, including the toolsets' gauges; undefined if it is not served. */
  readonly metrics: ((gauges: ReadonlyArray<Gauge>) => string) | undefined
}

/** Loads telemetry only if it may be wanted: metrics to be fetched, or an address to send to. */
export const watching = (launch: Launch): Effect.Effect<Watching, ConfigurationError, Scope.Scope> => {
  const isServed = launch.http?.metrics === true
  const mayBeSent = launch.telemetry !== undefined || Object.keys(process.env).some((name) => name.startsWith("OTEL_"))
  if (!mayBeSent && !isServed) return Effect.succeed(unwatched)
  return Effect.gen(function* () {
    const { isDelivered, untrusted, variablesOf } = yield* Effect.promise(() => import("./variables.ts"))
    if (!isDelivered(launch, process.env) && !isServed) return unwatched
    const problem = untrusted(launch, process.env)
    if (problem !== undefined) return yield* problem
    const { telemetry } = yield* Effect.promise(() => import("./telemetry.ts"))
    const { layer, record, text } = yield* telemetry(variablesOf(launch, process.env))
    return { layer, record, metrics: isServed ? text : undefined }
  })
}

const unwatched: Watching = { layer: Layer.empty, record: () => {}, metrics: undefined }
