import { Context, Exit, Option, Predicate, Tracer } from "effect"
import { Headers, HttpTraceContext } from "effect/http"

import type { Sampler } from "./otel.ts"

/** The spans that are sent; nothing else that this process does is. */
interface SpanOf {
  readonly name: string
  readonly kind: "client" | "server"
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly startTime: bigint
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Begins a span, which is sent at its end. */
export const makeBegin =
  (tracer: Tracer.Tracer, sampler: Sampler) =>
  ({ attributes, kind, name, parent, startTime }: SpanOf): Tracer.Span => {
    const span = tracer.span({
      name,
      kind,
      parent,
      startTime,
      annotations: Context.empty(),
      links: [],
      root: Option.isNone(parent),
      sampled: isSampled(sampler, parent)
    })
    for (const [key, value] of Object.entries(attributes)) span.attribute(key, value)
    return span
  }

/** A random decision if it is ours: without a parent, there is no trace id yet that could decide. */
const isSampled = ({ followsParent, ratio }: Sampler, parent: Option.Option<Tracer.AnySpan>): boolean => {
  if (Option.isSome(parent) && followsParent) return parent.value.sampled
  if (ratio >= 1 || ratio <= 0) return ratio >= 1
  const chance = Option.isSome(parent) ? Number.parseInt(parent.value.traceId.slice(-8), 16) : randomWord()
  return chance < ratio * 2 ** 32
}

const randomWord = () => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0

/** The end of a span: success, or the code of the failure. Messages of errors stay here. */
export const exitOf = (
  error: string | undefined
): Exit.Exit<void, { readonly name: string; readonly message: string }> =>
  error === undefined ? Exit.void : Exit.fail({ name: error, message: error })

/** The caller's span: trace headers in the message take precedence over those of the HTTP request. */
export const parentOf = (meta: unknown, headers: Headers.Headers | undefined): Option.Option<Tracer.AnySpan> => {
  const said =
    Predicate.hasProperty(meta, "traceparent") && Predicate.isString(meta.traceparent) ? meta.traceparent : ""
  const inMessage = HttpTraceContext.w3c(Headers.fromRecordUnsafe({ traceparent: said }))
  return Option.isSome(inMessage) || headers === undefined ? inMessage : HttpTraceContext.w3c(headers)
}

/**
 * Everything else that would be a span (of this program, of the HTTP server and of the HTTP client, with addresses and headers)
 * is dropped, and passes on its parent.
 */
export const transparent: Tracer.Tracer = Tracer.make({
  span: ({ annotations, kind, name, parent, startTime }) => {
    const around = Option.getOrUndefined(parent)
    return {
      _tag: "Span",
      name,
      kind,
      parent,
      annotations,
      traceId: around?.traceId ?? "",
      spanId: around?.spanId ?? "",
      sampled: around?.sampled ?? false,
      status: { _tag: "Started", startTime },
      attributes: new Map(),
      links: [],
      attribute: () => {},
      event: () => {},
      end: () => {},
      addLinks: () => {}
    }
  }
})

/** The current span, if there is one. */
export const around = (span: Option.Option<Tracer.AnySpan>): Option.Option<Tracer.AnySpan> =>
  Option.filter(span, ({ traceId }) => traceId !== "")

/** A span as a trace header. */
export const traceparent = ({ sampled, spanId, traceId }: Tracer.AnySpan): string =>
  `00-${traceId.padStart(32, "0")}-${spanId}-${sampled ? "01" : "00"}`
