import path from "node:path"

import { Redacted } from "effect"

import { untrustedDestination } from "../../engine/client/config/instances.ts"
import type { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import type { Launch } from "../configuration/Launch.ts"
import type { TelemetrySettings } from "../configuration/telemetry.ts"
import { signals, type Variables } from "./otel.ts"

type Written = Pick<Launch, "config" | "telemetry">

/** A variable of such a name that is not blank. */
const names = (variables: Variables, pattern: RegExp) =>
  Object.keys(variables).find((name) => pattern.test(name) && variables[name]?.trim())

const endpoint = /^OTEL_EXPORTER_OTLP_(?:(?:TRACES|METRICS|LOGS)_)?ENDPOINT$/
const headers = /^OTEL_EXPORTER_OTLP_(?:(?:TRACES|METRICS|LOGS)_)?HEADERS$/

/** Whether telemetry is sent anywhere. */
export const isDelivered = ({ telemetry }: Written, environment: Variables): boolean =>
  telemetry !== undefined || names(environment, endpoint) !== undefined

/** The refusal of an endpoint in a file that merely lies in the working folder, while the key is in the environment. */
export const untrusted = ({ config, telemetry }: Written, environment: Variables): ConfigurationError | undefined => {
  const key = names(environment, headers)
  const isOwn = telemetry === undefined || config !== undefined || names(environment, endpoint) !== undefined
  return isOwn || key === undefined
    ? undefined
    : untrustedDestination(".config.json: telemetry.endpoint", key, {
        file: ".config.json",
        variable: "OTEL_EXPORTER_OTLP_ENDPOINT"
      })
}

/**
 * OpenTelemetry's variables: those of the environment, and what the configuration says where they say nothing. Where they
 * name a place, nothing of the file's goes there: neither its headers nor whom it trusts.
 */
export const variablesOf = ({ config = "", telemetry }: Written, environment: Variables): Variables => {
  const said = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()))
  if (telemetry === undefined) return said
  return {
    ...(names(said, endpoint) === undefined ? placeOf(telemetry, config) : {}),
    ...(said["OTEL_TRACES_SAMPLER"] === undefined ? samplerOf(telemetry) : {}),
    ...Object.fromEntries(
      signals
        .filter((signal) => !telemetry.signals.includes(signal))
        .map((signal) => [`OTEL_${signal.toUpperCase()}_EXPORTER`, "none"])
    ),
    ...said,
    OTEL_RESOURCE_ATTRIBUTES: [attributesOf(telemetry), said["OTEL_RESOURCE_ATTRIBUTES"] ?? ""].join(",")
  }
}

/** The service's name among them, so that the environment can say another one in either way. */
const attributesOf = ({ attributes, serviceName }: TelemetrySettings): string =>
  pairsOf({ ...attributes, ...(serviceName === undefined ? {} : { "service.name": serviceName }) })

const placeOf = (telemetry: TelemetrySettings, config: string): Variables => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: telemetry.endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: pairsOf(telemetry.headers),
  OTEL_EXPORTER_OTLP_PROTOCOL: telemetry.protocol,
  OTEL_EXPORTER_OTLP_COMPRESSION: telemetry.compression,
  ...(telemetry.caFile === undefined
    ? {}
    : { OTEL_EXPORTER_OTLP_CERTIFICATE: path.resolve(path.dirname(config), telemetry.caFile) })
})

const samplerOf = ({ sampleRatio }: TelemetrySettings): Variables => ({
  OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
  OTEL_TRACES_SAMPLER_ARG: String(sampleRatio)
})

const pairsOf = (pairs: Readonly<Record<string, string | Redacted.Redacted>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => [name, Redacted.isRedacted(value) ? Redacted.value(value) : value])
    .map((pair) => pair.map((part) => encodeURIComponent(part)).join("="))
    .join(",")
