import { readFile } from "node:fs/promises"
import path from "node:path"

import { Effect, Layer, Logger } from "effect"
import { assert, describe, it } from "vitest"

import { telemetry } from "../../../src/cli/telemetry/telemetry.ts"
import { FixtureServer } from "../../support/fixtures/FixtureServer.ts"
import { connect } from "../../support/fixtures/HttpClient.ts"
import { directory, run, standIn, start, startHttp, useCommand } from "../built.ts"
import { collector, logsIn, metricsIn, resourceIn, spansIn } from "./collector.ts"

useCommand()

const canary = "CANARY-never-to-be-told"
const message = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id, method, params })
const call = (id: number, name: string, args: object, meta: object = {}) =>
  message(id, "tools/call", { name, arguments: args, _meta: meta })

const quick = {
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_BSP_SCHEDULE_DELAY: "20",
  OTEL_BLRP_SCHEDULE_DELAY: "20",
  OTEL_METRIC_EXPORT_INTERVAL: "50"
}

const trace = "0af7651916cd43dd8448eb211c80319c"
const parent = "b7ad6b7169203331"

/** An engine that has one workflow and answers everything else with 404. */
const engine = (seen: (headers: Readonly<Record<string, unknown>>, url: string) => void = () => {}) =>
  standIn((request, response) => {
    seen(request.headers, request.url ?? "")
    const isList = (request.url ?? "").startsWith("/api/v1/workflows?")
    response.writeHead(isList ? 200 : 404, { "content-type": "application/json" })
    response.end(isList ? JSON.stringify({ data: [] }) : JSON.stringify({ message: "Not Found" }))
  })

const configuration = (host: string) => ({
  environments: { main: { engine_host: host, engine_api_key: canary, engine_api_key_header: "X-ENGINE-API-KEY" } },
  defaultEnv: "main"
})

const post = (url: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${url}/mcp`, { method: "POST", body, headers })

describe("telemetry over OTLP", () => {
  it("has a span for every call of a tool and of an engine, a log line and metrics, and none of the arguments", async () => {
    const { deliveries, until, url: endpoint } = await collector()
    const cwd = await directory({ ".config.json": { ...configuration(await engine()), audit: "audit.jsonl" } })
    const { child, ended, url } = await startHttp(["--config", ".config.json"], {
      cwd,
      env: {
        ...quick,
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20sesame,x-team=a",
        OTEL_SERVICE_NAME: "tools",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test"
      }
    })
    const listed = await post(url, call(1, "list_workflows", { name: canary }))
    const deleted = await post(
      url,
      call(2, "delete_workflow", { id: canary }, { "workflow-tool-server/reason": canary })
    )
    await post(url, message(3, "tools/list", {}))
    const unknown = await post(url, call(4, canary, {}))
    const named = (name: string) => until(() => spansIn(deliveries).find((span) => span.name === name))

    const tool = await named("tools/call list_workflows")
    assert.deepInclude(tool.attributes, {
      "mcp.method.name": "tools/call",
      "gen_ai.tool.name": "list_workflows",
      "gen_ai.operation.name": "execute_tool",
      "network.transport": "tcp",
      "jsonrpc.request.id": "1",
      "workflow_tool_server.instance": "main",
      "workflow_tool_server.request.id": listed.headers.get("x-request-id")
    })
    assert.deepInclude(tool, { kind: 2, status: { code: 1 } })
    const upstream = await named("GET /api/v1/workflows")
    assert.deepInclude(upstream, { kind: 3, traceId: tool.traceId, parentSpanId: tool.spanId, status: { code: 1 } })
    assert.deepStrictEqual(upstream.events, ["sent"])
    assert.deepInclude(upstream.attributes, {
      "http.request.method": "GET",
      "http.response.status_code": 200,
      "url.template": "/api/v1/workflows",
      "workflow_tool_server.instance": "main",
      "server.address": "127.0.0.1"
    })

    const failed = await named("tools/call delete_workflow")
    assert.deepInclude(failed, { status: { code: 2, message: "API_ERROR" }, events: [] })
    assert.deepInclude(failed.attributes, { "error.type": "API_ERROR", "workflow_tool_server.instance": "main" })
    const refused = await named("DELETE /api/v1/workflows/{id}")
    assert.deepInclude(refused.attributes, { "http.response.status_code": 404, "error.type": "404" })
    assert.strictEqual(refused.parentSpanId, failed.spanId)
    assert.notProperty((await named("tools/list")).attributes, "gen_ai.tool.name")
    const other = await named("tools/call")
    assert.deepInclude(other.attributes, {
      "error.type": "-32602",
      "workflow_tool_server.request.id": unknown.headers.get("x-request-id")
    })

    const metrics = await until(() => (metricsIn(deliveries).size < 8 ? undefined : metricsIn(deliveries)))
    assert.containSubset(Object.fromEntries(metrics), {
      "mcp.server.operation.duration": "s",
      "http.client.request.duration": "s",
      "workflow_tool_server.tool.calls": "1"
    })
    assert.deepInclude(resourceIn(deliveries), { "service.name": "tools", "deployment.environment.name": "test" })
    child.kill("SIGTERM")
    await ended
    const entry: Readonly<Record<string, unknown>> = JSON.parse(await readFile(path.join(cwd, "audit.jsonl"), "utf8"))
    assert.deepInclude(entry, { tool: "delete_workflow", request: deleted.headers.get("x-request-id") })
    assert.deepInclude(failed.attributes, { "workflow_tool_server.request.id": entry["request"] })
    for (const { body, headers } of deliveries) {
      assert.deepInclude(headers, { authorization: "Bearer sesame", "x-team": "a", "content-type": "application/json" })
      assert.notInclude(body.toString(), canary)
    }
  })

  it("goes where the configuration says, also from a call in the shell, whose line in the audit log has the span's id", async () => {
    const { deliveries, until, url: endpoint } = await collector()
    const cwd = await directory({
      ".config.json": {
        ...configuration(await engine()),
        audit: "audit.jsonl",
        telemetry: {
          endpoint,
          headers: { authorization: "Bearer sesame" },
          protocol: "http/json",
          signals: ["traces"],
          serviceName: "shell"
        }
      }
    })
    const env = { TRACEPARENT: `00-${trace}-${parent}-01` }
    assert.strictEqual(
      (await run(["call", "--config", ".config.json", "delete_workflow", "--id", canary], { cwd, env })).code,
      1
    )
    const span = await until(() => spansIn(deliveries).find(({ name }) => name === "tools/call delete_workflow"))
    assert.deepInclude(span, { traceId: trace, parentSpanId: parent, status: { code: 2, message: "API_ERROR" } })
    assert.notProperty(span.attributes, "network.transport")
    assert.notProperty(span.attributes, "jsonrpc.request.id")
    const upstream = await until(() => spansIn(deliveries).find(({ name }) => name === "DELETE /api/v1/workflows/{id}"))
    assert.strictEqual(upstream.parentSpanId, span.spanId)
    const entry: Readonly<Record<string, unknown>> = JSON.parse(await readFile(path.join(cwd, "audit.jsonl"), "utf8"))
    assert.deepInclude(entry, { tool: "delete_workflow", transport: "command" })
    assert.match(String(entry["request"]), /^[0-9a-f]{16}$/)
    assert.deepInclude(span.attributes, { "workflow_tool_server.request.id": entry["request"] })
    assert.deepInclude(resourceIn(deliveries), { "service.name": "shell" })
    assert.deepStrictEqual([...new Set(deliveries.map((one) => one.path))], ["/v1/traces"])
    for (const { body, headers } of deliveries) {
      assert.strictEqual(headers["authorization"], "Bearer sesame")
      assert.notInclude(body.toString(), canary)
    }
  })

  it("answers a call of the shell where the collector is gone, and says that nothing was told", async () => {
    const telemetry = { endpoint: "http://127.0.0.1:9" }
    const cwd = await directory({ ".config.json": { ...configuration(await engine()), telemetry } })
    const { code, stderr } = await run(["call", "--config", ".config.json", "list_workflows"], { cwd })
    assert.strictEqual(code, 0)
    const warnings = stderr.split("\n").filter((line) => line.includes("Telemetry cannot be delivered"))
    assert.lengthOf(warnings, 1, stderr)
    assert.include(
      warnings[0],
      "to http://127.0.0.1:9: nothing listens there (ECONNREFUSED). What was last to be told is lost."
    )
  })

  it("goes on with the trace of the caller, by message or by header, and takes it on to the engine", async () => {
    const { deliveries, until, url: endpoint } = await collector()
    const traceparents: Array<unknown> = []
    const host = await engine(({ traceparent }) => traceparents.push(traceparent))
    const cwd = await directory({ ".config.json": configuration(host) })
    const { url } = await startHttp([], {
      cwd,
      env: { ...quick, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/v1/traces` }
    })
    const header = { traceparent: `00-${trace}-${parent}-01` }
    await post(url, call(1, "list_workflows", {}), header)
    const other = "1".repeat(32)
    await post(url, call(2, "list_workflows", {}, { traceparent: `00-${other}-${parent}-01` }), header)
    await post(url, call(3, "list_workflows", {}), { traceparent: `00-${"2".repeat(32)}-${parent}-00` })
    await post(url, call(4, "list_workflows", {}), { traceparent: "00-nonsense" })
    const spans = await until(() => {
      const tools = spansIn(deliveries).filter(({ kind }) => kind === 2)
      return tools.length < 3 ? undefined : tools
    })
    assert.deepStrictEqual(
      spans.map(({ attributes, parentSpanId, traceId }) => [attributes["jsonrpc.request.id"], traceId, parentSpanId]),
      [
        ["1", trace, parent],
        ["2", other, parent],
        ["4", spans[2]?.traceId, undefined]
      ]
    )
    const sampled = traceparents.filter((one) => String(one).endsWith("-01"))
    const upstreams = await until(() => {
      const requests = spansIn(deliveries).filter(({ kind }) => kind === 3)
      return requests.length < sampled.length ? undefined : requests
    })
    assert.sameMembers(
      sampled,
      upstreams.map(({ spanId, traceId }) => `00-${traceId}-${spanId}-01`)
    )
    const unsampled = traceparents.find((one) => String(one).includes("2".repeat(32)))
    assert.match(String(unsampled), /^00-2{32}-[0-9a-f]{16}-00$/)
    assert.deepStrictEqual([...new Set(deliveries.map((one) => one.path))], ["/v1/traces"])
  })

  it("has a line of the log in the trace of its request and under its id", async () => {
    const { deliveries, until, url: endpoint } = await collector()
    const requestId = await Effect.gen(function* () {
      const { layer } = yield* telemetry({ ...quick, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
      return yield* Effect.gen(function* () {
        const client = yield* connect()
        const { headers } = yield* client.send(
          JSON.parse(call(1, "defect", {}, { traceparent: `00-${trace}-${parent}-01` }))
        )
        yield* Effect.logError("outside of all requests")
        return headers.get("x-request-id")
      }).pipe(Effect.provide(Layer.merge(FixtureServer, layer)))
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([])), Effect.runPromise)
    const span = await until(() => spansIn(deliveries).find(({ kind }) => kind === 2))
    assert.deepInclude(span, { traceId: trace, status: { code: 2, message: "INTERNAL_ERROR" } })
    const [inside, outside] = await until(() => (logsIn(deliveries).length < 2 ? undefined : logsIn(deliveries)))
    assert.deepInclude(inside, { traceId: trace, spanId: span.spanId, severityText: "Error" })
    assert.include(JSON.stringify(inside?.body), "Defect in tools/call")
    assert.deepInclude(inside?.attributes, { request: requestId })
    assert.deepInclude(span.attributes, { "workflow_tool_server.request.id": requestId })
    assert.notProperty(outside?.attributes, "request")
    assert.notProperty(outside, "traceId")
  })

  it.concurrent.each([
    ["refuses connections", async () => "http://127.0.0.1:9", "nothing listens there", "10000"],
    ["answers 401", async () => (await collector(() => 401)).url, "it answers 401", "10000"],
    ["never answers", async () => (await collector(() => "never")).url, "it does not answer in time", "100"]
  ])("slows no call where the collector %s, and says so once", async (_, find, words, timeout) => {
    const endpoint = await find()
    const cwd = await directory({ ".config.json": configuration(await engine()) })
    const { child, ended, says, url } = await startHttp([], {
      cwd,
      env: { ...quick, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: timeout }
    })
    const began = performance.now()
    for (let id = 0; id < 20; id++) assert.strictEqual((await post(url, call(id, "list_workflows", {}))).status, 200)
    // A delivery that fails is repeated for three seconds.
    assert.isBelow(performance.now() - began, 20 * 1000)
    await says("stderr", `Telemetry cannot be delivered to ${endpoint}: ${words}`)
    child.kill("SIGTERM")
    const { code, stderr } = await ended
    assert.strictEqual(code, 0)
    assert.lengthOf(stderr.match(/Telemetry cannot/g) ?? [], 1)
  })

  it("is not delivered where its variables cannot be used, and keeps no server from starting", async () => {
    const { child, ended } = start(["--embedded"], {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317",
        OTEL_TRACES_SAMPLER: "sometimes",
        OTEL_RESOURCE_ATTRIBUTES: canary
      }
    })
    child.stdin.end(`${message(1, "tools/list", {})}\n`)
    const { code, stderr, stdout } = await ended
    assert.strictEqual(code, 0)
    assert.include(stdout, "list_workflows")
    assert.include(stderr, "OTEL_EXPORTER_OTLP_ENDPOINT: expected an address that begins with http:// or https://")
    assert.include(stderr, "OTEL_TRACES_SAMPLER: expected one of")
    assert.notInclude(stderr, canary)
  })
})
