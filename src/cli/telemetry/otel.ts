import { Result } from "effect"

import { isLoopback } from "../../internal/config/baseUrl.ts"

export const signals = ["traces", "metrics", "logs"] as const
export type SignalName = (typeof signals)[number]

/** Where one kind of telemetry goes, and how. */
export interface Signal {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: "http/protobuf" | "http/json"
  readonly compression: "gzip" | "none"
  /** Milliseconds that one delivery may take. */
  readonly timeout: number
  readonly caFile: string | undefined
  /** Milliseconds between deliveries. */
  readonly interval: number
}

export interface Sampler {
  /** Whether a caller's decision goes before ours. */
  readonly followsParent: boolean
  /** Part of the traces to keep, from 0 to 1. */
  readonly ratio: number
}

/** What OpenTelemetry's own environment variables ask for. */
export interface Otel {
  readonly signals: Readonly<Partial<Record<SignalName, Signal>>>
  readonly serviceName: string
  readonly attributes: Readonly<Record<string, string>>
  readonly sampler: Sampler
  /** Variables that cannot be used, in plain words. They never keep a server from starting. */
  readonly problems: ReadonlyArray<string>
  /** Where headers, which may hold a key, can be read on the way. */
  readonly exposed: ReadonlyArray<string>
}

export type Variables = Readonly<Record<string, string | undefined>>

/** How often each kind is delivered where nothing else is said: the specification's own numbers. */
const intervals = {
  traces: ["OTEL_BSP_SCHEDULE_DELAY", 5000],
  metrics: ["OTEL_METRIC_EXPORT_INTERVAL", 60_000],
  logs: ["OTEL_BLRP_SCHEDULE_DELAY", 1000]
} as const

/** Reads the variables as the specification has them; one that cannot be used counts as not there. */
export const readOtel = (variables: Variables): Otel => {
  const problems: Array<string> = []
  const text = (name: string) => variables[name]?.trim() || undefined

  const choice = <A extends string>(name: string, allowed: ReadonlyArray<A>, otherwise: A): A => {
    const given = text(name)
    if (given === undefined) return otherwise
    const found = allowed.find((one) => one === given.toLowerCase())
    if (found === undefined) problems.push(`${name}: expected ${allowed.join(" or ")}`)
    return found ?? otherwise
  }

  const number = (name: string, otherwise: number): number => {
    const given = text(name)
    if (given === undefined) return otherwise
    if (/^\d{1,9}$/.test(given) && Number(given) > 0) return Number(given)
    problems.push(`${name}: expected a whole number of milliseconds`)
    return otherwise
  }

  const pairs = (name: string): Readonly<Record<string, string>> => {
    const read = (text(name) ?? "")
      .split(",")
      .filter((pair) => pair.trim() !== "")
      .map((pair) => {
        const [, key = "", value = ""] = /^\s*([^=]+?)\s*=(.*)$/s.exec(pair) ?? []
        return Result.try(() => [decodeURIComponent(key), decodeURIComponent(value.trim())] as const)
      })
    const good = read.flatMap((pair) => (Result.isSuccess(pair) && pair.success[0] !== "" ? [pair.success] : []))
    if (good.length < read.length) problems.push(`${name}: expected name=value pairs with commas between`)
    return Object.fromEntries(good)
  }

  const address = (name: SignalName): string | undefined => {
    const own = `OTEL_EXPORTER_OTLP_${name.toUpperCase()}_ENDPOINT`
    const variable = text(own) === undefined ? "OTEL_EXPORTER_OTLP_ENDPOINT" : own
    const given = text(variable)
    if (given === undefined) return undefined
    if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
      problems.push(`${variable}: expected an address that begins with http:// or https://`)
      return undefined
    }
    if (variable === own) return given
    const url = new URL(given)
    url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/${name}`
    return url.href
  }

  const signal = (name: SignalName): Signal | undefined => {
    const url = address(name)
    if (url === undefined) return undefined
    const exporter = text(`OTEL_${name.toUpperCase()}_EXPORTER`) ?? "otlp"
    if (!exporter.split(",").some((one) => one.trim() === "otlp")) return undefined
    const variable = (rest: string) => {
      const own = `OTEL_EXPORTER_OTLP_${name.toUpperCase()}_${rest}`
      return text(own) === undefined ? `OTEL_EXPORTER_OTLP_${rest}` : own
    }
    const protocol = choice(variable("PROTOCOL"), ["http/protobuf", "http/json", "grpc"], "http/protobuf")
    if (protocol === "grpc") {
      problems.push(
        `${variable("PROTOCOL")}: grpc is not spoken here, http/protobuf and http/json are. No ${name} go out`
      )
      return undefined
    }
    const [delay, usual] = intervals[name]
    return {
      url,
      protocol,
      headers: pairs(variable("HEADERS")),
      compression: choice(variable("COMPRESSION"), ["gzip", "none"], "none"),
      timeout: number(variable("TIMEOUT"), 10_000),
      caFile: text(variable("CERTIFICATE")),
      interval: number(delay, usual)
    }
  }

  const sampler = (): Sampler => {
    const name = text("OTEL_TRACES_SAMPLER")?.toLowerCase() ?? "parentbased_always_on"
    const [, parent, kind] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ?? []
    if (kind === undefined) problems.push("OTEL_TRACES_SAMPLER: expected one of OpenTelemetry's samplers")
    const followsParent = kind === undefined || parent !== undefined
    if (kind === "always_off") return { followsParent, ratio: 0 }
    if (kind !== "traceidratio") return { followsParent, ratio: 1 }
    const ratio = Number(text("OTEL_TRACES_SAMPLER_ARG") ?? 1)
    if (ratio >= 0 && ratio <= 1) return { followsParent, ratio }
    problems.push("OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1")
    return { followsParent, ratio: 1 }
  }

  const isOff = text("OTEL_SDK_DISABLED")?.toLowerCase() === "true"
  const found = isOff
    ? []
    : signals.flatMap((name) => {
        const read = signal(name)
        return read === undefined ? [] : [[name, read] as const]
      })
  const { "service.name": named, ...attributes } = pairs("OTEL_RESOURCE_ATTRIBUTES")
  return {
    signals: Object.fromEntries(found),
    serviceName: text("OTEL_SERVICE_NAME") ?? named ?? "workflow-tool-server",
    attributes,
    sampler: sampler(),
    problems: [...new Set(problems)],
    exposed: [
      ...new Set(found.flatMap(([, { headers, url }]) => (isExposed(headers, url) ? [new URL(url).origin] : [])))
    ]
  }
}

const isExposed = (headers: Signal["headers"], url: string): boolean =>
  Object.keys(headers).length > 0 && url.startsWith("http:") && !isLoopback(new URL(url).hostname)
