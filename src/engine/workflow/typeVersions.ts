import { agentType, nodeKind, nodeType, toEngineType } from "../client/naming.ts"
import known from "../data/nodeVersions.json" with { type: "json" }

interface Versioned {
  readonly kind: string
  readonly version: number
}

const listed = (versions: Readonly<Record<string, ReadonlyArray<string>>>): ReadonlyArray<Versioned> =>
  Object.entries(versions).flatMap(([version, kinds]) => kinds.map((kind) => ({ kind, version: Number(version) })))

/** The version that each type's editor gave new nodes when the oldest tested engine was made, or when the type came. */
const versions: ReadonlyMap<string, number> = new Map([
  ...listed(known.ai).map(({ kind, version }) => [agentType(kind), version] as const),
  ...listed(known.base).map(({ kind, version }) => [nodeType(kind), version] as const)
])

/** A version of a type that every tested engine with that type has; `undefined` for types of others' making. */
export const knownTypeVersion = (type: string): number | undefined => versions.get(toEngineType(type))

/** A type in full: `set` is that of the engine's own package, and `agent` that of its AI package. */
export const fullType = (type: string): string => {
  if (type.includes(".")) return type
  const base = nodeType(nodeKind(type))
  if (versions.has(base)) return base
  return versions.has(agentType(type)) ? agentType(type) : type
}
