import { isJsonObject, type JsonObject, listOf, objectOf } from "../../internal/schema/JsonObject.ts"
import { isTrigger } from "./triggers.ts"

interface Graph {
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: JsonObject
}

/** Why groups of nodes, the frames on the canvas, cannot stand in a workflow: each has to hold together as a part of it. */
export const groupProblem = (groups: ReadonlyArray<unknown>, graph: Graph): string | undefined => {
  const seen = { ids: new Set<unknown>(), names: new Set<unknown>(), members: new Map<unknown, unknown>() }
  for (const group of groups.filter(isJsonObject)) {
    const problem = doubleProblem(group, seen, graph) ?? partProblem(group, graph)
    if (problem !== undefined) return problem
  }
  return undefined
}

interface Seen {
  readonly ids: Set<unknown>
  readonly names: Set<unknown>
  readonly members: Map<unknown, unknown>
}

const quoted = (name: unknown) => `"${String(name)}"`

const doubleProblem = ({ id, name, nodeIds }: JsonObject, seen: Seen, { nodes }: Graph): string | undefined => {
  if (seen.ids.has(id)) return `Duplicate node group ID ${quoted(id)}.`
  if (seen.names.has(name)) return `Duplicate node group name ${quoted(name)}.`
  seen.ids.add(id)
  seen.names.add(name)
  const members = listOf(nodeIds)
  if (members.length === 0) return `Group ${quoted(name)} has no members.`
  for (const member of members) {
    const node = nodes.find((one) => one.id === member)
    if (node === undefined) {
      return `Group ${quoted(name)} references node ID ${quoted(member)} that does not exist in the workflow.`
    }
    if (seen.members.has(member)) {
      return `Node ${quoted(node.name)} belongs to multiple groups: ${quoted(seen.members.get(member))} and ${quoted(name)}.`
    }
    seen.members.set(member, name)
  }
  return undefined
}

const partProblem = ({ name, nodeIds }: JsonObject, { connections, nodes }: Graph): string | undefined => {
  const members = nodes.filter(
    (node) => listOf(nodeIds).includes(node.id) && !String(node.type).endsWith(".stickyNote")
  )
  const triggers = members.filter(isTrigger).map((node) => node.name)
  if (triggers.length > 0) return `Node group ${quoted(name)} cannot contain trigger nodes: ${triggers.join(", ")}.`
  const inside = new Set(members.map((node) => node.name))
  const edges = Object.entries(connections).flatMap(([from, types]) => targetsOf(types).map((to) => ({ from, to })))
  const crossing = (one: "from" | "to", other: "from" | "to") => [
    ...new Set(edges.filter((edge) => inside.has(edge[one]) && !inside.has(edge[other])).map((edge) => edge[one]))
  ]
  const whole = `Node group ${quoted(name)} must form a single connected subgraph with a single entry and exit`
  const [inputs, outputs] = [crossing("to", "from"), crossing("from", "to")]
  if (inputs.length > 1) return `${whole} (multiple input nodes: ${inputs.map(quoted).join(", ")}).`
  if (outputs.length > 1) return `${whole} (multiple output nodes: ${outputs.map(quoted).join(", ")}).`
  const [first, ...others] = members.map((node) => String(node.name))
  if (first === undefined) return undefined
  const lost = others.find((other) => !reached(first, edges, inside).has(other))
  return lost === undefined ? undefined : `${whole} (no path from ${quoted(first)} to ${quoted(lost)}).`
}

interface Edge {
  readonly from: string
  readonly to: string
}

/** The members of a group that hang together with one of them. */
const reached = (first: string, edges: ReadonlyArray<Edge>, inside: ReadonlySet<unknown>): ReadonlySet<string> => {
  const found = new Set([first])
  for (const name of found) {
    for (const { from, to } of edges) {
      if (!inside.has(from) || !inside.has(to)) continue
      if (from === name) found.add(to)
      if (to === name) found.add(from)
    }
  }
  return found
}

const targetsOf = (types: unknown): ReadonlyArray<string> =>
  Object.values(objectOf(types)).flatMap((outputs) =>
    listOf(outputs).flatMap((targets) => listOf(targets).map((target) => String(objectOf(target).node)))
  )
