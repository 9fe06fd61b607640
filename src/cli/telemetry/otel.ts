import { Result } from "effect"

import { isLoopback } from "../../internal/config/baseUrl.ts"

export const signals = ["traces", "metrics", "logs"] as const
export type SignalName = (typeof signals)[number]

/** The destination of one signal, and the form in which it is sent. */
export interface Signal {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: "http/protobuf" | "http/json"
  readonly compression: "gzip" | "none"
  /** Timeout of one delivery, in milliseconds. */
  readonly timeout: number
  readonly caFile: string | undefined
  /** Milliseconds between deliveries. */
  readonly interval: number
}

export interface Sampler {
  /** Whether the caller's decision takes precedence. */
  readonly followsParent: boolean
  /** Part of the traces to keep, from 0 to 1. */
  readonly ratio: number
}

/** The content of OpenTelemetry's environment variables. */
export interface Otel {
  readonly signals: Readonly<Partial<Record<SignalName, Signal>>>
  readonly serviceName: string
  readonly attributes: Readonly<Record<string, string>>
  readonly sampler: Sampler
  /** Variables that cannot be used, in words for a person. They never keep a server from starting. */
  readonly problems: ReadonlyArray<string>
  /** Addresses to which headers, which may contain a key, are sent unencrypted. */
  readonly exposed: ReadonlyArray<string>
}

/** The default intervals of deliveries, as specified. */
const intervals = {
  traces: ["OTEL_BSP_SCHEDULE_DELAY", 5000],
  metrics: ["OTEL_METRIC_EXPORT_INTERVAL", 60_000],
  logs: ["OTEL_BLRP_SCHEDULE_DELAY", 1000]
} as const

/** Reads the variables as specified; one that cannot be used counts as not set. */
export const readOtel = (variables: Variables): Otel => {
  const reader = makeReader(variables)
  const isOff = reader.text("OTEL_SDK_DISABLED")?.toLowerCase() === "true"
  const sent = isOff
    ? []
    : signals.flatMap((name) => {
        const signal = signalOf(reader, name)
        return signal === undefined ? [] : [[name, signal] as const]
      })
  const { "service.name": named, ...attributes } = reader.pairs("OTEL_RESOURCE_ATTRIBUTES")
  return {
    signals: Object.fromEntries(sent),
    serviceName: reader.text("OTEL_SERVICE_NAME") ?? named ?? "workflow-tool-server",
    attributes,
    sampler: samplerOf(reader),
    problems: [...reader.problems],
    exposed: [
      ...new Set(sent.flatMap(([, { headers, url }]) => (isExposed(headers, url) ? [new URL(url).origin] : [])))
    ]
  }
}

/** The variable of one signal if it is set, otherwise that of all. */
const variableOf = ({ text }: VariableReader, name: SignalName, rest: string): string => {
  const ofSignal = `OTEL_EXPORTER_OTLP_${name.toUpperCase()}_${rest}`
  return text(ofSignal) === undefined ? `OTEL_EXPORTER_OTLP_${rest}` : ofSignal
}

const signalOf = (reader: VariableReader, name: SignalName): Signal | undefined => {
  const url = urlOf(reader, name)
  if (url === undefined) return undefined
  const exporter = reader.text(`OTEL_${name.toUpperCase()}_EXPORTER`) ?? "otlp"
  if (!exporter.split(",").some((one) => one.trim() === "otlp")) return undefined
  const variable = (rest: string) => variableOf(reader, name, rest)
  const protocol = reader.choice(variable("PROTOCOL"), ["http/protobuf", "http/json", "grpc"], "http/protobuf")
  if (protocol === "grpc") {
    reader.report(variable("PROTOCOL"), `grpc is not spoken here, http/protobuf and http/json are. No ${name} go out`)
    return undefined
  }
  const [delay, usual] = intervals[name]
  return {
    url,
    protocol,
    headers: reader.pairs(variable("HEADERS")),
    compression: reader.choice(variable("COMPRESSION"), ["gzip", "none"], "none"),
    timeout: reader.milliseconds(variable("TIMEOUT"), 10_000),
    caFile: reader.text(variable("CERTIFICATE")),
    interval: reader.milliseconds(delay, usual)
  }
}

/** The address of a signal: its own as it is, or a path below that of all. */
const urlOf = (reader: VariableReader, name: SignalName): string | undefined => {
  const variable = variableOf(reader, name, "ENDPOINT")
  const given = reader.url(variable)
  if (given === undefined || variable !== "OTEL_EXPORTER_OTLP_ENDPOINT") return given
  const url = new URL(given)
  url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/${name}`
  return url.href
}

const samplerOf = ({ report, text }: VariableReader): Sampler => {
  const name = text("OTEL_TRACES_SAMPLER")?.toLowerCase() ?? "parentbased_always_on"
  const [, parent, kind] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ?? []
  if (kind === undefined) report("OTEL_TRACES_SAMPLER", "expected one of OpenTelemetry's samplers")
  const followsParent = kind === undefined || parent !== undefined
  if (kind === "always_off") return { followsParent, ratio: 0 }
  if (kind !== "traceidratio") return { followsParent, ratio: 1 }
  const ratio = Number(text("OTEL_TRACES_SAMPLER_ARG") ?? 1)
  if (ratio >= 0 && ratio <= 1) return { followsParent, ratio }
  report("OTEL_TRACES_SAMPLER_ARG", "expected a number from 0 to 1")
  return { followsParent, ratio: 1 }
}

const isExposed = (headers: Signal["headers"], url: string): boolean =>
  Object.keys(headers).length > 0 && url.startsWith("http:") && !isLoopback(new URL(url).hostname)

export type Variables = Readonly<Record<string, string | undefined>>

/** Reads variables as OpenTelemetry specifies: a blank one, or one that cannot be used, counts as not set. */
const makeReader = (variables: Variables) => {
  const problems = new Set<string>()
  const report = (name: string, problem: string) => void problems.add(`${name}: ${problem}`)
  const text = (name: string) => variables[name]?.trim() || undefined

  const choice = <A extends string>(name: string, allowed: ReadonlyArray<A>, otherwise: A): A => {
    const given = text(name)
    if (given === undefined) return otherwise
    const match = allowed.find((one) => one === given.toLowerCase())
    if (match === undefined) report(name, `expected ${allowed.join(" or ")}`)
    return match ?? otherwise
  }

  const milliseconds = (name: string, otherwise: number): number => {
    const given = text(name)
    if (given === undefined) return otherwise
    if (/^\d{1,9}$/.test(given) && Number(given) > 0) return Number(given)
    report(name, "expected a whole number of milliseconds")
    return otherwise
  }

  const pairs = (name: string): Readonly<Record<string, string>> => {
    const read = (text(name) ?? "")
      .split(",")
      .filter((pair) => pair.trim() !== "")
      .map((pair) => {
        const [key = "", ...values] = pair.split("=")
        const name = values.length === 0 ? "" : key.trim()
        return Result.try(() => [decodeURIComponent(name), decodeURIComponent(values.join("=").trim())] as const)
      })
    const good = read.flatMap((pair) => (Result.isSuccess(pair) && pair.success[0] !== "" ? [pair.success] : []))
    if (good.length < read.length) report(name, "expected name=value pairs with commas between")
    return Object.fromEntries(good)
  }

  const url = (name: string): string | undefined => {
    const given = text(name)
    if (given === undefined || (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol))) return given
    report(name, "expected an address that begins with http:// or https://")
    return undefined
  }

  return { choice, milliseconds, pairs, problems, report, text, url }
}

type VariableReader = ReturnType<typeof makeReader>
