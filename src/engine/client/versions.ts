import { Predicate } from "effect"

import { BoundedCache } from "../../internal/BoundedCache.ts"
import { clipped, listed } from "../../internal/clipped.ts"
import { digest } from "../../internal/json/digest.ts"
import { memoizable, memoized } from "../../internal/memoize.ts"
import { type Workflow, nameOf } from "./models.ts"

export { isSameJson } from "../../internal/json/digest.ts"

/** What a workflow does; a change of these by somebody else must not be overwritten. */
const contents = ["name", "nodes", "connections", "settings", "pinData"] as const

/** Everything that a version stands for, in its order. */
const parts = [...contents, "active"] as const

/**
 * Identifies what a workflow is and does, on every engine: a digest of each part and the state, as in
 * "0k2v9x-1b7d0q-00lz3c-00lz3c-00lz3c-off". Engines' own numbers do not: theirs also move without a change of these,
 * or stay when a workflow is renamed.
 */
export const versionOf = (workflow: Workflow): string => versionWith(workflow, nodeDigests(workflow))

const versionWith = memoized((workflow: Workflow, nodes: ReadonlyArray<NodeDigest>): string =>
  [
    ...contents.map((part) => (part === "nodes" ? digest(nodes.map(([, one]) => one)) : digest(workflow[part] ?? {}))),
    workflow.active ? "on" : "off"
  ].join("-")
)

export const isVersion = (text: string): boolean => /^([0-9a-z]{6}-){5}(on|off)(-part)?$/.test(text)

/**
 * The version of a workflow of which only some nodes are shown. It is as good as the whole one, but to replace the nodes:
 * who was shown some cannot give all.
 */
export const partVersion = (version: string): string => `${version}-part`

export const isPartVersion = (text: string): boolean => isVersion(text) && text.endsWith("-part")

/** The parts in which two versions differ. */
export const changedParts = (a: string, b: string): ReadonlyArray<string> => {
  const [those, these] = [a.split("-"), b.split("-")]
  return parts.filter((_, place) => those[place] !== these[place])
}

/** Whether two readings of a workflow show the same content, switched on or off. */
export const isSameContent = (a: Workflow, b: Workflow): boolean =>
  changedParts(versionOf(a), versionOf(b)).every((part) => part === "active")

/** The part of a version that stands for the nodes. */
export const nodesDigest = (version: string): string => version.split("-")[1] ?? ""

/** A node's name and its digest. */
export type NodeDigest = readonly [name: string, digest: string]

/** Every node as a digest; of a large workflow they are kept as long as it is, since one reading is compared several times. */
export const nodeDigests = ({ nodes }: Pick<Workflow, "nodes">): ReadonlyArray<NodeDigest> =>
  digestsOf(nodes.length < large ? nodes : memoizable(nodes))

const digestsOf = memoized((nodes: Workflow["nodes"]): ReadonlyArray<NodeDigest> =>
  nodes.map((node) => [nameOf(node), digest(node)])
)

/** Nodes from which on making their digests anew costs more than that a weak map makes them outlive the call. */
const large = 100

/** Nodes kept in mind at most, over all versions. */
const maxNodes = 20_000

/** Engine stamps kept in mind at most. */
const maxStamps = 5000

/** Names listed in one text at most. */
const maxNames = 20

/** The versions that callers were shown, so that a conflict can name the nodes that changed since. */
export interface SeenVersions {
  /** The version of a workflow that is about to be shown, or written; from then on it can be compared with. */
  readonly remember: (workflow: Workflow) => string
  /**
   * What is not any more as it was in a version, in words such as "nodes (Fetch changed)"; nothing where all is. The
   * engine's own `versionId` and `updatedAt` count as versions, too: as what was shown under them, else as long as they
   * have not moved.
   */
  readonly changesSince: (given: string, now: Workflow) => ReadonlyArray<string>
  /** Whether a text has the form of a version, ours or an engine's, or has been seen as one of this workflow. */
  readonly canBeVersion: (given: string, now: Workflow) => boolean
}

/** Remembers up to 20,000 nodes of versions and 5,000 stamps of the engine; those shown longest ago are forgotten first. */
export const makeSeenVersions = (): SeenVersions => {
  const seen = new BoundedCache<ReadonlyArray<NodeDigest>>(maxNodes, (nodes) => nodes.length)
  /** Which versions were shown under a stamp of the engine's own, which can stay the same when something changes. */
  const underStamp = new BoundedCache<ReadonlyArray<string>>(maxStamps)

  /** The version of a workflow that a caller is shown. */
  const remember = (workflow: Workflow): string => {
    const digests = nodeDigests(workflow)
    const version = versionWith(workflow, digests)
    for (const stamp of stampsOf(workflow)) {
      const known = underStamp.keep(stamp, () => [version])
      if (!known.includes(version)) underStamp.put(stamp, [...known, version])
    }
    seen.keep(nodesDigest(version), () => digests)
    return version
  }

  const changesSince = (given: string, now: Workflow): ReadonlyArray<string> => {
    if (isVersion(given)) return changesBetween(given, now)
    const shown = (underStamp.get(`${now.id} ${given}`) ?? []).map((version) => changesBetween(version, now))
    // Times move with every change, if not within a millisecond; ids of versions can stay when a workflow is renamed.
    if (given === now.updatedAt && shown.some((changes) => changes.length === 0)) return []
    if (shown.length > 0) return [...new Set(shown.flat())]
    return stampsOf(now).includes(`${now.id} ${given}`) ? [] : [`something (${given} is none of its present versions)`]
  }

  const changesBetween = (version: string, now: Workflow): ReadonlyArray<string> =>
    changedParts(version, versionOf(now)).map((part) => {
      if (part === "active") return `state (now ${now.active ? "active" : "inactive"})`
      const before = part === "nodes" ? seen.get(nodesDigest(version)) : undefined
      return before === undefined ? part : `nodes (${nodeChanges(before, nodeDigests(now))})`
    })

  const canBeVersion = (given: string, now: Workflow): boolean =>
    isVersion(given) ||
    ofEngines.test(given) ||
    stampsOf(now).includes(`${now.id} ${given}`) ||
    underStamp.get(`${now.id} ${given}`) !== undefined

  return { remember, changesSince, canBeVersion }
}

/** A UUID or a time, as engines write their `versionId` and `updatedAt`. */
const ofEngines = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z)$/

const stampsOf = ({ id, updatedAt, versionId }: Workflow): ReadonlyArray<string> =>
  [versionId, updatedAt].filter(Predicate.isString).map((stamp) => `${id} ${stamp}`)

const nodeChanges = (shown: ReadonlyArray<NodeDigest>, after: ReadonlyArray<NodeDigest>): string => {
  const before = new Map(shown)
  const kept = new Set(after.map(([name]) => name))
  const changed = after.flatMap(([name, digest]) => {
    const was = before.get(name)
    return was === digest ? [] : [`${short(name)} ${was === undefined ? "added" : "changed"}`]
  })
  const removed = [...before.keys()].flatMap((name) => (kept.has(name) ? [] : [`${short(name)} removed`]))
  const all = [...changed, ...removed]
  if (all.length === 0) return "their order"
  return listed(all, maxNames)
}

const short = (name: string): string => clipped(name, maxNameLength)

/** Nobody gives a node such a name; a text of that length would drown the rest. */
const maxNameLength = 100
