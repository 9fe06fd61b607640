import { assert, describe, it } from "vitest"

import { readOtel } from "../../../src/cli/telemetry/otel.ts"

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.test:4318/base/" }

describe("OpenTelemetry's variables", () => {
  it("name one place for all signals, and another for single ones as it is", () => {
    const { problems, signals } = readOtel({ ...endpoint, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "http://logs.test/take" })
    assert.deepStrictEqual(problems, [])
    assert.strictEqual(signals.traces?.url, "https://collector.test:4318/base/v1/traces")
    assert.strictEqual(signals.metrics?.url, "https://collector.test:4318/base/v1/metrics")
    assert.strictEqual(signals.logs?.url, "http://logs.test/take")
    assert.deepInclude(signals.metrics, {
      protocol: "http/protobuf",
      compression: "none",
      interval: 60_000,
      timeout: 10_000
    })
  })

  it("are read for all signals and for single ones, which go before", () => {
    const { signals } = readOtel({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%2Cb%3D, x = y ,",
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: "m=1",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "HTTP/protobuf",
      OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: "7",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_EXPORTER_OTLP_CERTIFICATE: "ca.pem"
    })
    assert.deepStrictEqual(signals.traces?.headers, { "api-key": "a,b=", x: "y" })
    assert.deepStrictEqual(signals.metrics?.headers, { m: "1" })
    assert.deepInclude(signals.traces, { protocol: "http/protobuf", compression: "gzip", caFile: "ca.pem" })
    assert.deepInclude(signals.logs, { protocol: "http/json", timeout: 7 })
  })

  it.each([
    [{ OTEL_SDK_DISABLED: "TRUE" }, []],
    [{ OTEL_TRACES_EXPORTER: "none", OTEL_LOGS_EXPORTER: "console" }, ["metrics"]],
    [{ OTEL_METRICS_EXPORTER: "console, otlp" }, ["traces", "metrics", "logs"]],
    [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "grpc" }, ["metrics", "logs"]],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, []]
  ])("switch signals off: %o", (more, left) => {
    assert.deepStrictEqual(Object.keys(readOtel({ ...endpoint, ...more }).signals), left)
  })

  it("name the service, and what else there is to know of it", () => {
    const attributes = { OTEL_RESOURCE_ATTRIBUTES: "service.name=a,team=b%20c" }
    assert.deepInclude(readOtel(attributes), { serviceName: "a", attributes: { team: "b c" } })
    assert.deepInclude(readOtel({ ...attributes, OTEL_SERVICE_NAME: "own" }), { serviceName: "own" })
    assert.deepInclude(readOtel({}), { serviceName: "workflow-tool-server", attributes: {} })
  })

  it.each([
    [undefined, undefined, { followsParent: true, ratio: 1 }],
    ["always_on", undefined, { followsParent: false, ratio: 1 }],
    ["always_off", undefined, { followsParent: false, ratio: 0 }],
    ["parentbased_always_off", undefined, { followsParent: true, ratio: 0 }],
    ["traceidratio", "0.25", { followsParent: false, ratio: 0.25 }],
    ["parentbased_traceidratio", "0.5", { followsParent: true, ratio: 0.5 }],
    ["traceidratio", undefined, { followsParent: false, ratio: 1 }]
  ])("sample traces: %s %s", (OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, sampler) => {
    const { problems, sampler: read } = readOtel({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG })
    assert.deepStrictEqual([read, problems], [sampler, []])
  })

  it("are named where they cannot be used, without their values", () => {
    const bad = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "file:///secret",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://ok.test",
      OTEL_EXPORTER_OTLP_HEADERS: "secret",
      OTEL_EXPORTER_OTLP_TIMEOUT: "-secret",
      OTEL_EXPORTER_OTLP_COMPRESSION: "secret",
      OTEL_TRACES_SAMPLER: "secret",
      OTEL_RESOURCE_ATTRIBUTES: "a=%secret"
    }
    const { problems, signals } = readOtel(bad)
    assert.deepStrictEqual(Object.keys(signals), ["traces"])
    for (const name of Object.keys(bad).filter((name) => !name.includes("TRACES_ENDPOINT"))) {
      assert.lengthOf(
        problems.filter((problem) => problem.startsWith(`${name}: expected `)),
        1,
        name
      )
    }
    assert.notInclude(problems.join(), "secret")
  })

  it("tell where their headers can be read on the way", () => {
    const exposedAt = (OTEL_EXPORTER_OTLP_ENDPOINT: string, OTEL_EXPORTER_OTLP_HEADERS = "key=secret") =>
      readOtel({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS }).exposed
    assert.deepStrictEqual(exposedAt("http://collector.test:4318/otlp"), ["http://collector.test:4318"])
    assert.deepStrictEqual(exposedAt("http://collector.test:4318", ""), [])
    assert.deepStrictEqual(exposedAt("http://127.0.0.1:4318"), [])
    assert.deepStrictEqual(exposedAt("https://collector.test"), [])
  })
})
