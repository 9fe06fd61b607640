import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"

import protobuf from "protobufjs"
import { assert, describe, it } from "vitest"

import { startHttp, useCommand } from "../cli/built.ts"
import { collector, type Delivery } from "../cli/telemetry/collector.ts"

useCommand()

const folder = fileURLToPath(new URL("../data/otlp/", import.meta.url))

/** OpenTelemetry's own definitions. */
const definitions = async () => {
  const root = new protobuf.Root()
  root.resolvePath = (_, target) => `${folder}${target}`
  await root.load(
    ["trace", "metrics", "logs"].map((name) => `opentelemetry/proto/collector/${name}/v1/${name}_service.proto`)
  )
  root.resolveAll()
  return root
}

const requests: Readonly<Record<string, string>> = {
  "/v1/traces": "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest",
  "/v1/metrics": "opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest",
  "/v1/logs": "opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest"
}

const isHex = (value: unknown, bytes: number) =>
  typeof value === "string" && new RegExp(`^[0-9a-f]{${bytes * 2}}$`).test(value)
const idBytes = new Map([
  ["traceId", 16],
  ["spanId", 8],
  ["parentSpanId", 8]
])

/** Where JSON is not what protobuf's mapping to it, with OTLP's exceptions (ids in hex, enums as numbers), has for a type. */
const complaints = (type: protobuf.Type, json: unknown, at = type.name): ReadonlyArray<string> => {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return [`${at} is no object`]
  return Object.entries(json).flatMap(([name, value]) => {
    const field = type.fields[name]
    const place = `${at}.${name}`
    if (field === undefined) return [`${place} is unknown`]
    const one = (single: unknown, here: string): ReadonlyArray<string> => {
      if (field.resolvedType instanceof protobuf.Type) return complaints(field.resolvedType, single, here)
      return isScalar(field, single) ? [] : [`${here} is no ${field.type}: ${JSON.stringify(single)}`]
    }
    if (!field.repeated) return one(value, place)
    return Array.isArray(value)
      ? value.flatMap((item, index) => one(item, `${place}[${index}]`))
      : [`${place} is no list`]
  })
}

const wireTypes: ReadonlyMap<string, number> = new Map(Object.entries(protobuf.types.basic))

/** Where bytes are not what the definition of a message has: fields that it does not know, and those of another kind. */
const strays = (type: protobuf.Type, bytes: Uint8Array, at = type.name): ReadonlyArray<string> => {
  const reader = protobuf.Reader.create(bytes)
  const found: Array<string> = []
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    const wire = tag & 7
    const field = type.fieldsById[tag >>> 3]
    if (field === undefined) found.push(`${at}: field ${tag >>> 3} is unknown`)
    const usual = field === undefined ? wire : (wireTypes.get(field.type) ?? (isEnum(field) ? 0 : 2))
    if (wire !== usual && !(wire === 2 && field?.repeated === true))
      found.push(`${at}.${field?.name}: wire type ${wire}`)
    if (field?.resolvedType instanceof protobuf.Type && wire === 2) {
      found.push(...strays(field.resolvedType, reader.bytes(), `${at}.${field.name}`))
    } else reader.skipType(wire)
  }
  return found
}

const isEnum = ({ resolvedType }: protobuf.Field) => resolvedType instanceof protobuf.Enum

const isScalar = ({ name, resolvedType, type }: protobuf.Field, value: unknown): boolean => {
  if (resolvedType instanceof protobuf.Enum) return Object.values(resolvedType.values).some((known) => known === value)
  if (type === "bytes") return isHex(value, idBytes.get(name) ?? 0)
  if (type === "string") return typeof value === "string"
  if (type === "bool") return typeof value === "boolean"
  if (type.endsWith("64")) return (typeof value === "string" && /^-?\d+$/.test(value)) || Number.isSafeInteger(value)
  if (type.endsWith("32")) return Number.isInteger(value)
  return typeof value === "number" || ["NaN", "Infinity", "-Infinity"].includes(String(value))
}

const call = (id: number, name: string, args: object) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } })

/** Everything that a server delivers that was asked for well and badly, until there is some of each kind. */
const delivered = async (env: Readonly<Record<string, string>>) => {
  const { deliveries, until, url: endpoint } = await collector()
  const { child, ended, url } = await startHttp(["--embedded"], {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_BSP_SCHEDULE_DELAY: "20",
      OTEL_METRIC_EXPORT_INTERVAL: "50",
      ...env
    }
  })
  const post = async (body: string) => (await fetch(`${url}/mcp`, { method: "POST", body })).text()
  await post(call(1, "list_workflows", {}))
  await post(call(2, "get_workflow", { id: "none" }))
  await fetch(`${url}/mcp`, {
    method: "POST",
    body: call(3, "get_tags", {}),
    headers: { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` }
  })
  await until(() =>
    ["/v1/traces", "/v1/metrics"].every((path) => deliveries.some((one) => one.path === path)) ? true : undefined
  )
  child.kill("SIGTERM")
  await ended
  return deliveries
}

const typeOf = (root: protobuf.Root, { path }: Delivery) => root.lookupType(requests[path] ?? assert.fail(path))

describe("what is delivered over OTLP/HTTP", () => {
  it("is what OpenTelemetry's definitions say, field by field, in protobuf", async () => {
    const root = await definitions()
    const deliveries = await delivered({})
    const spans: Array<unknown> = []
    for (const delivery of deliveries) {
      assert.strictEqual(delivery.headers["content-type"], "application/x-protobuf")
      const type = typeOf(root, delivery)
      const message = type.decode(delivery.body)
      const object = type.toObject(message, { longs: String, bytes: Array })
      assert.isNull(type.verify(type.toObject(message)))
      assert.deepStrictEqual(strays(type, delivery.body), [])
      if (delivery.path === "/v1/traces") spans.push(object)
    }
    const metrics = deliveries.findLast(({ path }) => path === "/v1/metrics") ?? assert.fail("no metrics")
    assert.isNotEmpty(strays(root.lookupType(requests["/v1/logs"] ?? ""), metrics.body), "what is no log is found out")
    const text = JSON.stringify(spans)
    for (const name of ["tools/call list_workflows", "GET /api/v1/workflows/{id}", "API_ERROR"])
      assert.include(text, name)
  })

  it("is what protobuf's mapping makes of them in JSON", async () => {
    const root = await definitions()
    for (const delivery of await delivered({ OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" })) {
      assert.strictEqual(delivery.headers["content-type"], "application/json")
      assert.deepStrictEqual(complaints(typeOf(root, delivery), JSON.parse(delivery.body.toString())), [])
    }
  })

  it("is packed where that is asked for", async () => {
    const root = await definitions()
    const deliveries = await delivered({ OTEL_EXPORTER_OTLP_COMPRESSION: "gzip" })
    const packed = deliveries.filter(({ headers }) => headers["content-encoding"] === "gzip")
    assert.isAbove(packed.length, 0)
    for (const delivery of packed) typeOf(root, delivery).decode(gunzipSync(delivery.body))
  })
})
