import { lazy } from "../../internal/caching.ts"
import { agentType, nodeKind, nodeType, toEngineType } from "../workflow/naming.ts"
import nodeVersions from "./data/nodeVersions.json" with { type: "json" }

type Grouped = Readonly<Record<string, ReadonlyArray<string>>>

const versionsOf = (grouped: Grouped, spelling: (kind: string) => string): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(grouped).flatMap(([version, kinds]) =>
      kinds.map((kind) => [spelling(kind), Number(version)] as const)
    )
  )

/** Versions that editors gave new nodes when the oldest tested engine was made; later engines still take them. */
const portable = lazy(() => versionsOf(nodeVersions.portable, nodeType))

/** Versions that they give today to nodes that came later, or of which older versions are not known. */
const newest = lazy(
  () => new Map([...versionsOf(nodeVersions.newest, nodeType), ...versionsOf(nodeVersions.ai, agentType)])
)

/** A version of a type that every tested engine takes. */
export const portableVersion = (type: string): number | undefined => portable().get(toEngineType(type))

/** The version of a type that the newest tested engine gives. */
export const newestVersion = (type: string): number | undefined => newest().get(toEngineType(type))

/** A type in full: `set` is that of the engine's own package, and `agent` that of its AI package. */
export const fullType = (type: string): string => {
  if (type.includes(".")) return type
  const base = nodeType(nodeKind(type))
  if (portable().has(base) || newest().has(base)) return base
  return newest().has(agentType(type)) ? agentType(type) : type
}
