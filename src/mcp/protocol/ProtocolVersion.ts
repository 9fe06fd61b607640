import { Option, Predicate } from "effect"

import { memoizable } from "../../internal/memoize.ts"

/** Two ways of speaking: with a handshake, or with everything said in each request. */
export type EraName = "legacy" | "modern"

/** A published revision of MCP: what it has, as far as our answers differ by it. */
export interface ProtocolVersion {
  /** As it names itself, such as 2025-11-25. */
  readonly date: string
  readonly era: EraName
  /** Several messages in one JSON array. */
  readonly batches: boolean
  /** Hints on tools, words on progress, the capability to complete. */
  readonly hints: boolean
  /** Titles, structured results with their schemas, `_meta` on tools. */
  readonly structure: boolean
  /** Questions to the person at the client. */
  readonly elicitation: boolean
  /** Error code for a resource that does not exist. */
  readonly unknownResource: number
}

const v2024_11_05: ProtocolVersion = {
  date: "2024-11-05",
  era: "legacy",
  batches: false,
  hints: false,
  structure: false,
  elicitation: false,
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
const v2025_11_25: ProtocolVersion = { ...v2025_06_18, date: "2025-11-25" }
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

/** What every modern request is answered in. */
export const modern = v2026_07_28

/** What a client speaks that has said nothing: the last revision that let it stay silent. */
export const assumed = v2025_03_26

export const find = (version: string | undefined): ProtocolVersion | undefined =>
  protocolVersions.find(({ date }) => date === version)

/** The revision a handshake negotiates: the one asked for, else the newest that has a handshake. */
export const negotiate = (version: string): ProtocolVersion => {
  const asked = find(version)
  return asked?.era === "legacy" ? asked : v2025_11_25
}

/** Where a modern request says its version. */
export const versionKey = "io.modelcontextprotocol/protocolVersion"

/** Where a modern request says what its client can do. */
export const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"

/** The version that a request's own params claim, if they claim any; only modern requests do. */
export const claimed = (params: unknown): Option.Option<unknown> =>
  Predicate.hasProperty(params, "_meta") && Predicate.hasProperty(params._meta, versionKey)
    ? Option.some(params._meta[versionKey])
    : Option.none()

/** The version that a request with these params is served in: its own claim goes before what its session negotiated. */
export const ofRequest = (params: unknown, negotiated: ProtocolVersion): ProtocolVersion =>
  Option.isSome(claimed(params)) ? modern : negotiated
