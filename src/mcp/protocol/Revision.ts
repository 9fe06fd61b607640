/** Two ways of speaking: with a handshake, or with everything said in each request. */
export type EraName = "legacy" | "modern"

/** A published revision of MCP: what it has, as far as our answers differ by it. */
export interface Revision {
  readonly version: string
  readonly era: EraName
  /** Several messages in one JSON array. */
  readonly batches: boolean
  /** Hints on tools, words on progress, the capability to complete. */
  readonly hints: boolean
  /** Titles, structured results with their schemas, `_meta` on tools. */
  readonly structure: boolean
  /** Error code for a resource that does not exist. */
  readonly unknownResource: number
}

const v2024_11_05: Revision = {
  version: "2024-11-05",
  era: "legacy",
  batches: false,
  hints: false,
  structure: false,
  unknownResource: -32002
}
const v2025_03_26: Revision = { ...v2024_11_05, version: "2025-03-26", batches: true, hints: true }
const v2025_06_18: Revision = { ...v2025_03_26, version: "2025-06-18", batches: false, structure: true }
const v2025_11_25: Revision = { ...v2025_06_18, version: "2025-11-25" }
const v2026_07_28: Revision = { ...v2025_11_25, version: "2026-07-28", era: "modern", unknownResource: -32602 }

/** Newest first. */
export const revisions: ReadonlyArray<Revision> = [v2026_07_28, v2025_11_25, v2025_06_18, v2025_03_26, v2024_11_05]
export const versions: ReadonlyArray<string> = revisions.map(({ version }) => version)

/** What every modern request is answered in. */
export const modern = v2026_07_28

/** What a client speaks that has said nothing: the last revision that let it stay silent. */
export const assumed = v2025_03_26

export const find = (version: string | undefined): Revision | undefined =>
  revisions.find((revision) => revision.version === version)

/** The revision a handshake settles on: the one asked for, else the newest that has a handshake. */
export const negotiate = (version: string): Revision => {
  const asked = find(version)
  return asked?.era === "legacy" ? asked : v2025_11_25
}
