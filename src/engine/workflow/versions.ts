import { Predicate } from "effect"

import { BoundedCache, memoizable, memoized } from "../../internal/caching.ts"
import { clipped, listed } from "../../internal/foreignText.ts"
import { digest } from "../../internal/json/digest.ts"
import type { Workflow } from "./models.ts"
import { nameOf } from "./nodes.ts"

export { isSameJson } from "../../internal/json/digest.ts"

/** The content of a workflow; changes of it by others must not be overwritten. */
const contents = ["name", "nodes", "connections", "settings", "pinData"] as const

/** All parts of a version, in order. */
const parts = [...contents, "active"] as const

/**
 * Identifies the content and state of a workflow, on every engine: a digest of each part and the state, as in
 * "0k2v9x-1b7d0q-00lz3c-00lz3c-00lz3c-off". The engines' own numbers do not: they also change without a change of these, or
 * stay the same when a workflow is renamed.
 */
export const versionOf = (workflow: Workflow): string => versionWith(workflow, nodeDigests(workflow))

const versionWith = memoized((workflow: Workflow, nodes: ReadonlyArray<NodeDigest>): string =>
  [
    ...contents.map((part) => (part === "nodes" ? digest(nodes.map(([, one]) => one)) : digest(workflow[part] ?? {}))),
    workflow.active ? "on" : "off"
  ].join("-")
)

const isVersion = (text: string): boolean => /^([0-9a-z]{6}-){5}(on|off)(-part)?$/.test(text)

/**
 * The version of a workflow of which only some nodes are shown. It is as good as the whole one, except for replacing the nodes:
 * a caller who saw some of them cannot provide all.
 */
export const partVersion = (version: string): string => `${version}-part`

export const isPartVersion = (text: string): boolean => isVersion(text) && text.endsWith("-part")

/** The parts in which two versions differ. */
const changedParts = (a: string, b: string): ReadonlyArray<string> => {
  const [those, these] = [a.split("-"), b.split("-")]
  return parts.filter((_, place) => those[place] !== these[place])
}

/** Whether two readings of a workflow have the same content, active or not. */
export const isSameContent = (a: Workflow, b: Workflow): boolean =>
  changedParts(versionOf(a), versionOf(b)).every((part) => part === "active")

/** The digest of the nodes in a version. */
const nodesDigest = (version: string): string => version.split("-")[1] ?? ""

/** A node's name and its digest. */
type NodeDigest = readonly [name: string, digest: string]

/** A digest of every node; those of a large workflow are cached with it, since one reading is compared several times. */
const nodeDigests = ({ nodes }: Pick<Workflow, "nodes">): ReadonlyArray<NodeDigest> =>
  digestsOf(nodes.length < large ? nodes : memoizable(nodes))

const digestsOf = memoized((nodes: Workflow["nodes"]): ReadonlyArray<NodeDigest> =>
  nodes.map((node) => [nameOf(node), digest(node)])
)

/** From this number of nodes, computing digests costs more than keeping them in a weak map, which makes them outlive the call. */
const large = 100

/** Most nodes remembered, across all versions. */
const maxNodes = 20_000

/** Most engine stamps remembered. */
const maxStamps = 5000

/** Most names listed in one text. */
const maxNames = 20

/** The versions shown to callers, so that a conflict can name the nodes that changed since. */
export interface SeenVersions {
  /** Remembers a workflow that is about to be shown or written, and returns its version. */
  readonly remember: (workflow: Workflow) => string
  /**
   * The changes since a version, in words such as "nodes (Fetch changed)"; empty if there are none. The engine's own
   * `versionId` and `updatedAt` are accepted as versions, too: as the content shown with them, or else as long as they are
   * unchanged.
   */
  readonly changesSince: (given: string, now: Workflow) => ReadonlyArray<string>
  /** Whether a text has the form of a version, ours or an engine's, or is known as one of this workflow. */
  readonly canBeVersion: (given: string, now: Workflow) => boolean
}

/** Remembers up to 20,000 nodes of versions and 5,000 stamps of the engine, and forgets the least recently shown first. */
export const makeSeenVersions = (): SeenVersions => {
  const seen = new BoundedCache<ReadonlyArray<NodeDigest>>(maxNodes, (nodes) => nodes.length)
  /** Versions shown with a stamp of the engine, which can stay the same when something changes. */
  const underStamp = new BoundedCache<ReadonlyArray<string>>(maxStamps)

  const remember = (workflow: Workflow): string => {
    const digests = nodeDigests(workflow)
    const version = versionWith(workflow, digests)
    for (const stamp of stampsOf(workflow)) {
      const versions = underStamp.keep(stamp, () => [version])
      if (!versions.includes(version)) underStamp.put(stamp, [...versions, version])
    }
    seen.keep(nodesDigest(version), () => digests)
    return version
  }

  const changesSince = (given: string, now: Workflow): ReadonlyArray<string> => {
    if (isVersion(given)) return changesBetween(given, now)
    const changesByVersion = (underStamp.get(`${now.id} ${given}`) ?? []).map((version) => changesBetween(version, now))
    // Times change with every write, except within one millisecond; version ids can stay when a workflow is renamed.
    if (given === now.updatedAt && changesByVersion.some((changes) => changes.length === 0)) return []
    if (changesByVersion.length > 0) return [...new Set(changesByVersion.flat())]
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

/** A UUID or a time, the forms of an engine's `versionId` and `updatedAt`. */
const ofEngines = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z)$/

const stampsOf = ({ id, updatedAt, versionId }: Workflow): ReadonlyArray<string> =>
  [versionId, updatedAt].filter(Predicate.isString).map((stamp) => `${id} ${stamp}`)

const nodeChanges = (shownNodes: ReadonlyArray<NodeDigest>, after: ReadonlyArray<NodeDigest>): string => {
  const before = new Map(shownNodes)
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

/** No real name is that long, and a text of that length would drown the rest. */
const maxNameLength = 100
