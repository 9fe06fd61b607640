import { Context, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"

import type { Gauge } from "../../mcp/Toolset.ts"

type Labels = Readonly<Record<string, string>>

/** Bucket boundaries in seconds: OpenTelemetry's for MCP, and its own for HTTP. */
const operationSeconds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

const histogram = (id: string, description: string, boundaries: ReadonlyArray<number>) =>
  Metric.histogram(id, { description, boundaries, attributes: { unit: "s" } })
const counter = (id: string, description: string) =>
  Metric.counter(id, { description, bigint: true, incremental: true })
const gauge = (id: string, description: string) => Metric.gauge(id, { description })

/** Everything that is counted and measured. Names are OpenTelemetry's if it has one. */
const metrics = {
  operation: histogram("mcp.server.operation.duration", "Seconds from a request to its answer", operationSeconds),
  calls: counter("workflow_tool_server.tool.calls", "Calls of tools by how they ended"),
  active: gauge("workflow_tool_server.requests.active", "Requests being served"),
  request: histogram(
    "http.client.request.duration",
    "Seconds that an upstream took, from a request's leaving to the end of its answer",
    requestSeconds
  ),
  queue: histogram(
    "workflow_tool_server.upstream.queue.duration",
    "Seconds that requests to an upstream waited for their turn",
    requestSeconds
  ),
  waiting: gauge("workflow_tool_server.upstream.waiting", "Requests to an upstream that wait for their turn"),
  underWay: gauge("workflow_tool_server.upstream.active", "Requests to an upstream that wait for their answer"),
  failures: counter("workflow_tool_server.upstream.failures", "Requests to an upstream that failed, by kind"),
  succeeded: gauge("workflow_tool_server.upstream.last_success", "When an upstream last answered well, in Unix time")
}

/** Names in the style of Prometheus: with the unit, and `_total` for counters. */
const named = (id: string): string => {
  if (id.endsWith(".duration")) return `${id}_seconds`
  if (id.endsWith(".calls") || id.endsWith(".failures")) return `${id}_total`
  return /\.last_(?:success|failure)$/.test(id) ? `${id}_timestamp_seconds` : id
}

/** Counts and measures, into a registry of its own. */
export const makeMeters = () => {
  const context = Context.make(Metric.MetricRegistry, new Map())
  const levels = new Map<string, number>()

  /** The series with these labels; each is made once. */
  const at = <Input, State>(metric: Metric.Metric<Input, State>, labels: Labels) =>
    Metric.withAttributes(metric, labels)

  const level = (metric: Metric.Gauge<number>, labels: Labels, change: 1 | -1) => {
    const key = `${metric.id} ${JSON.stringify(labels)}`
    const value = (levels.get(key) ?? 0) + change
    levels.set(key, value)
    at(metric, labels).updateUnsafe(value, context)
  }

  const record = (gauges: ReadonlyArray<Gauge>) => {
    for (const { help, labels, name, value } of gauges) at(gauge(name, help), labels).updateUnsafe(value, context)
  }

  return {
    context,
    record,
    operation: (seconds: number, labels: Labels) => at(metrics.operation, labels).updateUnsafe(seconds, context),
    call: (labels: Labels) => at(metrics.calls, labels).updateUnsafe(1n, context),
    active: (change: 1 | -1) => level(metrics.active, {}, change),
    request: (seconds: number, labels: Labels) => at(metrics.request, labels).updateUnsafe(seconds, context),
    queue: (seconds: number, labels: Labels) => at(metrics.queue, labels).updateUnsafe(seconds, context),
    waiting: (labels: Labels, change: 1 | -1) => level(metrics.waiting, labels, change),
    underWay: (labels: Labels, change: 1 | -1) => level(metrics.underWay, labels, change),
    failure: (labels: Labels) => at(metrics.failures, labels).updateUnsafe(1n, context),
    succeeded: (unixSeconds: number, labels: Labels) =>
      at(metrics.succeeded, labels).updateUnsafe(unixSeconds, context),
    /** All metrics in Prometheus' text format, including the toolsets' gauges. */
    text: (gauges: ReadonlyArray<Gauge>): string => {
      record(gauges)
      return PrometheusMetrics.formatUnsafe(context, { metricNameMapper: named })
    }
  }
}

export type Meters = ReturnType<typeof makeMeters>
