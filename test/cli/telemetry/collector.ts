import { EventEmitter, once } from "node:events"
import { createServer } from "node:http"

import { Schema } from "effect"

import { listen } from "../built.ts"

/** One delivery as it came. */
export interface Delivery {
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Buffer
}

/** Takes what is delivered over OTLP/HTTP, and keeps it. */
export const collector = async (answer: (delivery: Delivery) => number | "never" = () => 200) => {
  const deliveries: Array<Delivery> = []
  const arrived = new EventEmitter()
  const server = createServer((request, response) => {
    const pieces: Array<Buffer> = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      const delivery = { path: request.url ?? "", headers: request.headers, body: Buffer.concat(pieces) }
      const status = answer(delivery)
      if (status !== "never") response.writeHead(status, { "content-type": "application/json" }).end("{}")
      deliveries.push(delivery)
      arrived.emit("delivery")
    })
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  return {
    url,
    deliveries,
    /** Waits until what has come so far makes something of it. */
    until: async <A>(look: () => A | undefined): Promise<A> => {
      for (;;) {
        const match = look()
        if (match !== undefined) return match
        await once(arrived, "delivery")
      }
    }
  }
}

const Attributes = Schema.Array(
  Schema.Struct({ key: Schema.String, value: Schema.Record(Schema.String, Schema.Unknown) })
)

const Span = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  parentSpanId: Schema.optionalKey(Schema.String),
  name: Schema.String,
  kind: Schema.Int,
  attributes: Attributes,
  events: Schema.Array(Schema.Struct({ name: Schema.String })),
  status: Schema.Struct({ code: Schema.Int, message: Schema.optionalKey(Schema.String) })
})

const Traces = Schema.Struct({
  resourceSpans: Schema.Array(
    Schema.Struct({
      resource: Schema.Struct({ attributes: Attributes }),
      scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) }))
    })
  )
})

const Logs = Schema.Struct({
  resourceLogs: Schema.Array(
    Schema.Struct({
      scopeLogs: Schema.Array(
        Schema.Struct({
          logRecords: Schema.Array(
            Schema.Struct({
              traceId: Schema.optionalKey(Schema.String),
              spanId: Schema.optionalKey(Schema.String),
              severityText: Schema.String,
              body: Schema.Record(Schema.String, Schema.Unknown),
              attributes: Attributes
            })
          )
        })
      )
    })
  )
})

const Metrics = Schema.Struct({
  resourceMetrics: Schema.Array(
    Schema.Struct({
      scopeMetrics: Schema.Array(
        Schema.Struct({ metrics: Schema.Array(Schema.Struct({ name: Schema.String, unit: Schema.String })) })
      )
    })
  )
})

const read = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, path: string) => {
  const decode = Schema.decodeUnknownSync(Schema.fromJsonString(schema))
  return (deliveries: ReadonlyArray<Delivery>) =>
    deliveries.filter((delivery) => delivery.path === path).map(({ body }) => decode(body.toString()))
}

/** The values of attributes by name. */
export const valuesOf = (attributes: typeof Attributes.Type): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const readTraces = read(Traces, "/v1/traces")
const readLogs = read(Logs, "/v1/logs")
const readMetrics = read(Metrics, "/v1/metrics")

/** All spans that were delivered as JSON, in the order in which they ended. */
export const spansIn = (deliveries: ReadonlyArray<Delivery>) =>
  readTraces(deliveries)
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map(({ attributes, events, ...span }) => ({
      ...span,
      events: events.map(({ name }) => name),
      attributes: valuesOf(attributes)
    }))

export const resourceIn = (deliveries: ReadonlyArray<Delivery>) =>
  valuesOf(readTraces(deliveries)[0]?.resourceSpans[0]?.resource.attributes ?? [])

/** All log records that were delivered as JSON. */
export const logsIn = (deliveries: ReadonlyArray<Delivery>) =>
  readLogs(deliveries)
    .flatMap(({ resourceLogs }) => resourceLogs)
    .flatMap(({ scopeLogs }) => scopeLogs)
    .flatMap(({ logRecords }) => logRecords)
    .map(({ attributes, ...record }) => ({ ...record, attributes: valuesOf(attributes) }))

/** Names and units of all metrics that were delivered as JSON. */
export const metricsIn = (deliveries: ReadonlyArray<Delivery>) =>
  new Map(
    readMetrics(deliveries)
      .flatMap(({ resourceMetrics }) => resourceMetrics)
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics }) => metrics)
      .map(({ name, unit }) => [name, unit])
  )
