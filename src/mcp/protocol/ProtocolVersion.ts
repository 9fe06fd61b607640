import { Option, Predicate } from "effect"

import { memoizable } from "../../internal/caching.ts"

/** The two eras: with a handshake, or with everything in each request. */
export type EraName = "legacy" | "modern"

/** A published revision of MCP: its features, as far as our answers depend on them. */
export interface ProtocolVersion {
  /** Its name, such as 2025-11-25. */
  readonly date: string
  readonly era: EraName
  /** Batches of messages in one JSON array. */
  readonly batches: boolean
  /** Annotations of tools, progress messages, the capability for completions. */
  readonly hints: boolean
  /** Titles, structured results with their schemas, `_meta` of tools. */
  readonly structure: boolean
  /** Icons of servers. */
  readonly icons: boolean
  /** Questions to the person at the client. */
  readonly elicitation: boolean
  /** Requests to the person to open an address. */
  readonly addresses: boolean
  /** Error code for a resource that does not exist. */
  readonly unknownResource: number
}

const v2024_11_05: ProtocolVersion = {
  date: "2024-11-05",
  era: "legacy",
  batches: false,
  hints: false,
  structure: false,
  icons: false,
  elicitation: false,
  addresses: false,
  unknownResource: -32002
}
const v2025_03_26: ProtocolVersion = { ...v2024_11_05, date: "2025-03-26", batches: true, hints: true }
const v2025_06_18: ProtocolVersion = {
  ...v2025_03_26,
  date: "2025-06-18",
  batches: false,
  structure: true,
  elicitation: true
}
const v2025_11_25: ProtocolVersion = { ...v2025_06_18, date: "2025-11-25", icons: true, addresses: true }
const v2026_07_28: ProtocolVersion = { ...v2025_11_25, date: "2026-07-28", era: "modern", unknownResource: -32602 }

/** Newest first. */
export const protocolVersions: ReadonlyArray<ProtocolVersion> = [
  v2026_07_28,
  v2025_11_25,
  v2025_06_18,
  v2025_03_26,
  v2024_11_05
].map((version) => memoizable(version))
export const dates: ReadonlyArray<string> = protocolVersions.map(({ date }) => date)

/** The revision of answers to modern requests. */
export const modern = v2026_07_28

/** The revision of a client that has not named one: the last one that made it optional. */
export const assumed = v2025_03_26

export const find = (version: string | undefined): ProtocolVersion | undefined =>
  protocolVersions.find(({ date }) => date === version)

/** The revision negotiated in a handshake: the requested one, or else the newest with a handshake. */
export const negotiate = (version: string): ProtocolVersion => {
  const requested = find(version)
  return requested?.era === "legacy" ? requested : v2025_11_25
}

/** The field of a modern request's `_meta` with its version. */
export const versionKey = "io.modelcontextprotocol/protocolVersion"

/** The field of a modern request's `_meta` with the client's capabilities. */
export const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"

/** The field of a request's `_meta` with the name and version of the client. */
export const clientInfoKey = "io.modelcontextprotocol/clientInfo"

/** The version stated in a request's own params, if any; only modern requests have it. */
export const claimed = (params: unknown): Option.Option<unknown> =>
  Predicate.hasProperty(params, "_meta") && Predicate.hasProperty(params._meta, versionKey)
    ? Option.some(params._meta[versionKey])
    : Option.none()

/** The capabilities of the client stated in a request's own params, if any. */
export const claimedCapabilities = (params: unknown): unknown =>
  Predicate.hasProperty(params, "_meta") && Predicate.hasProperty(params._meta, capabilitiesKey)
    ? params._meta[capabilitiesKey]
    : undefined

/** The version for a request with these params: its own goes before the one negotiated in its session. */
export const ofRequest = (params: unknown, negotiated: ProtocolVersion): ProtocolVersion =>
  Option.isSome(claimed(params)) ? modern : negotiated
