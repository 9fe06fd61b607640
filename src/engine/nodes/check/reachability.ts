import { isEnabled, isTrigger, kindOf } from "../../workflow/triggers.ts"
import type { Finding } from "./Finding.ts"
import { type Graph, reachable } from "./graph.ts"
import type { Known } from "./node.ts"

/** The end of the finding for nodes that never run. */
const neverRuns = ": it never runs"

/** Nodes that no trigger reaches, and sub-nodes that serve no other node. */
export const checkReachability = (
  { edges, nodes }: Graph,
  known: ReadonlyMap<string, Known>
): ReadonlyArray<Finding> => {
  const all = [...nodes].filter(([, node]) => kindOf(node) !== "stickyNote")
  if (all.length === 0) return []
  const starts = all
    .filter(([name, node]) => isTrigger(node) || known.get(name)?.type.isTrigger === true)
    .map(([name]) => name)
  if (starts.length === 0) {
    // A node of an unknown type may be a trigger.
    if (all.some(([name]) => !known.has(name))) return []
    const fix = "Add one, such as a Schedule Trigger, a Webhook or a Manual Trigger, and connect it"
    return [{ level: "warning", field: "nodes", problem: "no trigger starts this workflow", fix }]
  }
  const after = new Map<string, Array<string>>()
  const add = (from: string, to: string) => {
    const targets = after.get(from)
    if (targets === undefined) after.set(from, [to])
    else targets.push(to)
  }
  for (const { from, source, target } of edges) {
    if (from === "main") add(source, target)
    else add(target, source)
  }
  const beginnings = new Set(starts)
  const serving = new Set(edges.filter(({ from }) => from !== "main").map(({ source }) => source))
  const entered = new Set(
    edges.filter(({ from, source, target }) => from === "main" && source !== target).map(({ target }) => target)
  )
  const strange = all.filter(([name]) => !known.has(name)).map(([name]) => name)
  const reached = reachable([...starts, ...strange], (name) => after.get(name) ?? [])
  return all
    .filter(([name, node]) => isEnabled(node) && !reached.has(name) && !beginnings.has(name) && known.has(name))
    .flatMap(([name]): ReadonlyArray<Finding> => {
      const at = { level: "warning", node: name } as const
      const gives = (known.get(name)?.type.outputs ?? []).map(({ type }) => type).filter((type) => type !== "main")
      const serves = serving.has(name)
      const onlyServes = gives.length > 0 && !(known.get(name)?.type.outputs ?? []).some(({ type }) => type === "main")
      if (onlyServes && !serves) {
        const problem = `serves no node${neverRuns}`
        return [
          { ...at, field: `connections.${gives[0]}`, problem, fix: `Connect it to a node that takes ${gives[0]}` }
        ]
      }
      // Only the first node of a connected chain is reported.
      if (entered.has(name) || serves) return []
      const problem = `no trigger leads to it${neverRuns}`
      return [{ ...at, field: "connections.main", problem, fix: "Connect it, or remove it" }]
    })
}
