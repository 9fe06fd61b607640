import { Effect, Layer } from "effect"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import type { TraceData } from "effect/observability/OtlpTracer"

import { version } from "../../version.ts"
import type { Signal } from "./otel.ts"

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
