import { Predicate } from "effect"

import { differing, isVersion, type NodeDigest, nodeDigests, nodesDigest, versionOf } from "./version.ts"
import type { Workflow } from "./Workflow.ts"

/** Nodes kept in mind at most, over all versions; the oldest versions are forgotten first. */
const mostNodes = 20_000

/** Engine stamps kept in mind at most; the oldest are forgotten first. */
const mostStamps = 5000

/** Names listed in one text at most. */
const mostNames = 20

/** Remembers which nodes the versions had that callers were shown, so that a conflict can name those that changed. */
export const make = () => {
  const seen = new Map<string, ReadonlyArray<NodeDigest>>()
  let count = 0

  const forget = (key: string) => {
    count -= seen.get(key)?.length ?? 0
    seen.delete(key)
  }

  /** Which versions were shown under a stamp of the engine's own, which can stay the same when something changes. */
  const underStamp = new Map<string, ReadonlySet<string>>()

  const stamp = (workflow: Workflow, version: string) => {
    for (const name of stampsOf(workflow)) {
      const versions = new Set(underStamp.get(name)).add(version)
      underStamp.delete(name)
      underStamp.set(name, versions)
    }
    for (const oldest of underStamp.keys()) {
      if (underStamp.size <= mostStamps) break
      underStamp.delete(oldest)
    }
  }

  /** The version of a workflow that a caller is shown. */
  const remember = (workflow: Workflow): string => {
    const version = versionOf(workflow)
    stamp(workflow, version)
    const key = nodesDigest(version)
    const nodes = nodeDigests(workflow)
    forget(key)
    seen.set(key, nodes)
    count += nodes.length
    for (const oldest of seen.keys()) {
      if (count <= mostNodes) break
      forget(oldest)
    }
    return version
  }

  /**
   * What is not any more as it was in a version, in words; nothing where all is. The engine's own `versionId` and
   * `updatedAt` count as versions, too: as what was shown under them, else as long as they have not moved.
   */
  const changesSince = (given: string, now: Workflow): ReadonlyArray<string> => {
    if (isVersion(given)) return changesBetween(given, now)
    const shown = [...(underStamp.get(`${now.id} ${given}`) ?? [])].map((version) => changesBetween(version, now))
    // Times move with every change, if not within a millisecond; ids of versions can stay when a workflow is renamed.
    if (given === now.updatedAt && shown.some((changes) => changes.length === 0)) return []
    if (shown.length > 0) return [...new Set(shown.flat())]
    return stampsOf(now).includes(`${now.id} ${given}`) ? [] : [`something (${given} is none of its present versions)`]
  }

  const changesBetween = (version: string, now: Workflow): ReadonlyArray<string> =>
    differing(version, versionOf(now)).map((part) => {
      if (part === "active") return `state (now ${now.active ? "active" : "inactive"})`
      const before = part === "nodes" ? seen.get(nodesDigest(version)) : undefined
      return before === undefined ? part : `nodes (${nodeChanges(before, nodeDigests(now))})`
    })

  return { remember, changesSince }
}

const stampsOf = ({ id, updatedAt, versionId }: Workflow): ReadonlyArray<string> =>
  [versionId, updatedAt].filter(Predicate.isString).map((stamp) => `${id} ${stamp}`)

const nodeChanges = (before: ReadonlyArray<NodeDigest>, after: ReadonlyArray<NodeDigest>): string => {
  const old = new Map(before)
  const kept = new Set(after.map(([name]) => name))
  const changed = after.flatMap(([name, digest]) => {
    const was = old.get(name)
    return was === digest ? [] : [`${short(name)} ${was === undefined ? "added" : "changed"}`]
  })
  const removed = before.flatMap(([name]) => (kept.has(name) ? [] : [`${short(name)} removed`]))
  const all = [...changed, ...removed]
  if (all.length === 0) return "their order"
  return all.length <= mostNames
    ? all.join(", ")
    : `${all.slice(0, mostNames).join(", ")} and ${all.length - mostNames} more`
}

const short = (name: string): string => (name.length <= longestName ? name : `${name.slice(0, longestName)}…`)

/** Nobody gives a node such a name; a text of that length would drown the rest. */
const longestName = 100
