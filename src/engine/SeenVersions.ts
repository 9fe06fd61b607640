import { differing, nodeDigests, nodesDigest, versionOf } from "./rules/version.ts"
import type { Workflow } from "./Workflow.ts"

/** Nodes kept in mind at most, over all versions; the oldest versions are forgotten first. */
const mostNodes = 20_000

/** Names listed in one text at most. */
const mostNames = 20

/** Remembers which nodes the versions had that callers were shown, so that a conflict can name those that changed. */
export const make = () => {
  const seen = new Map<string, ReadonlyMap<string, string>>()
  let count = 0

  const forget = (key: string) => {
    count -= seen.get(key)?.size ?? 0
    seen.delete(key)
  }

  /** The version of a workflow that a caller is shown. */
  const remember = (workflow: Workflow): string => {
    const version = versionOf(workflow)
    const key = nodesDigest(version)
    const nodes = nodeDigests(workflow)
    forget(key)
    seen.set(key, nodes)
    count += nodes.size
    for (const oldest of seen.keys()) {
      if (count <= mostNodes) break
      forget(oldest)
    }
    return version
  }

  /** What is not any more as it was in a version, in words; nothing where all is. */
  const changesSince = (version: string, now: Workflow): ReadonlyArray<string> =>
    differing(version, versionOf(now)).map((part) => {
      if (part === "active") return `state (now ${now.active ? "active" : "inactive"})`
      const before = part === "nodes" ? seen.get(nodesDigest(version)) : undefined
      return before === undefined ? part : `nodes (${nodeChanges(before, nodeDigests(now))})`
    })

  return { remember, changesSince }
}

const nodeChanges = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string => {
  const changed = [...after].flatMap(([name, digest]) => {
    const old = before.get(name)
    return old === digest ? [] : [old === undefined ? `${name} added` : `${name} changed`]
  })
  const removed = [...before.keys()].filter((name) => !after.has(name)).map((name) => `${name} removed`)
  const all = [...changed, ...removed]
  if (all.length === 0) return "their order"
  return all.length <= mostNames
    ? all.join(", ")
    : `${all.slice(0, mostNames).join(", ")} and ${all.length - mostNames} more`
}
