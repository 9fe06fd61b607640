import { Redacted } from "effect"
import { assert, describe, it } from "vitest"

import type { TelemetrySettings } from "../../../src/cli/configuration/telemetry.ts"
import { readOtel } from "../../../src/cli/telemetry/otel.ts"
import { isDelivered, untrusted, variablesOf } from "../../../src/cli/telemetry/variables.ts"

const telemetry: TelemetrySettings = {
  endpoint: "https://otel.test/in",
  headers: { authorization: Redacted.make("Bearer a,b=c") },
  caFile: "ca.pem",
  protocol: "http/json",
  compression: "gzip",
  signals: ["traces", "logs"],
  sampleRatio: 0.25,
  serviceName: "tools",
  attributes: { team: "a b" }
}
const read = (environment: Readonly<Record<string, string>> = {}, config?: string) =>
  readOtel(variablesOf({ telemetry, config }, environment))

describe("telemetry in the configuration", () => {
  it("says where it goes, how, what of it, and under which name", () => {
    const { attributes, problems, sampler, serviceName, signals } = read({}, "/etc/tools/config.json")
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(Object.keys(signals), ["traces", "logs"])
    assert.deepInclude(signals.traces, {
      url: "https://otel.test/in/v1/traces",
      headers: { authorization: "Bearer a,b=c" },
      protocol: "http/json",
      compression: "gzip",
      caFile: "/etc/tools/ca.pem"
    })
    assert.deepStrictEqual(
      { attributes, sampler, serviceName },
      {
        attributes: { team: "a b" },
        sampler: { followsParent: true, ratio: 0.25 },
        serviceName: "tools"
      }
    )
  })

  it.each([
    [{ OTEL_TRACES_EXPORTER: "none" }, { signals: ["logs"] }],
    [{ OTEL_METRICS_EXPORTER: "otlp" }, { signals: ["traces", "metrics", "logs"] }],
    [{ OTEL_SDK_DISABLED: "true" }, { signals: [] }],
    [{ OTEL_SERVICE_NAME: "mine" }, { serviceName: "mine" }],
    [{ OTEL_RESOURCE_ATTRIBUTES: "service.name=mine,team=c" }, { serviceName: "mine", attributes: { team: "c" } }],
    [{ OTEL_TRACES_SAMPLER: "always_on" }, { sampler: { followsParent: false, ratio: 1 } }],
    [{ OTEL_TRACES_SAMPLER: "traceidratio" }, { sampler: { followsParent: false, ratio: 1 } }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: " " }, { url: "https://otel.test/in/v1/traces" }]
  ])("gives way to the environment: %o", (environment, expected) => {
    const otel = read(environment)
    const summary = { ...otel, signals: Object.keys(otel.signals), url: otel.signals.traces?.url }
    assert.deepInclude(summary, expected)
  })

  it.each([
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://other.test" },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://other.test/v1/traces" }
  ])("sends nothing of its own to a place that the environment names: %o", (environment) => {
    const { signals } = read(environment)
    assert.deepInclude(signals.traces, { url: "http://other.test/v1/traces", headers: {}, caFile: undefined })
  })

  it("does not lead headers of the environment away, where it only lies in the working folder", () => {
    const headers = { OTEL_EXPORTER_OTLP_LOGS_HEADERS: "api-key=secret" }
    assert.match(
      untrusted({ telemetry, config: undefined }, headers)?.message ?? "",
      /^\.config\.json: telemetry\.endpoint may not decide where the key of OTEL_EXPORTER_OTLP_LOGS_HEADERS goes: /
    )
    for (const [written, environment] of [
      [{ telemetry, config: "own.json" }, headers],
      [
        { telemetry, config: undefined },
        { ...headers, OTEL_EXPORTER_OTLP_ENDPOINT: "http://other.test" }
      ],
      [{ telemetry, config: undefined }, {}],
      [{ config: undefined }, headers]
    ] as const) {
      assert.isUndefined(untrusted(written, environment))
    }
  })

  it("is not there where neither says where it goes", () => {
    assert.isFalse(isDelivered({ config: undefined }, { OTEL_SERVICE_NAME: "a", OTEL_EXPORTER_OTLP_ENDPOINT: " " }))
    assert.isTrue(isDelivered({ config: undefined }, { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "http://a.test" }))
    assert.isTrue(isDelivered({ config: undefined, telemetry }, {}))
  })
})
