import { Effect, Layer, type Scope } from "effect"

import type { Figure } from "../../mcp/Toolset.ts"
import type { Launch } from "../configuration/Launch.ts"

/** How the server is watched, if it is. */
export interface Watching {
  readonly layer: Layer.Layer<never>
  /** What `GET /metrics` answers, with what the toolsets know; nothing where it is not served. */
  readonly metrics: ((figures: ReadonlyArray<Figure>) => string) | undefined
}

const endpoint = /^OTEL_EXPORTER_OTLP_(?:(?:TRACES|METRICS|LOGS)_)?ENDPOINT$/

/** Loads what watches the server, only where somebody asks for it: metrics to be fetched, or a place to send to. */
export const watching = ({ http }: Launch): Effect.Effect<Watching, never, Scope.Scope> => {
  const isSent = Object.entries(process.env).some(([name, value]) => endpoint.test(name) && value?.trim())
  const isServed = http?.metrics === true
  if (!isSent && !isServed) return Effect.succeed({ layer: Layer.empty, metrics: undefined })
  return Effect.promise(() => import("./telemetry.ts")).pipe(
    Effect.flatMap(({ telemetry }) => telemetry(process.env)),
    Effect.map(({ layer, text }) => ({ layer, metrics: isServed ? text : undefined }))
  )
}
