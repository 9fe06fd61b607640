import { Predicate } from "effect"

import { nameAmongWords } from "../../internal/foreignText.ts"
import { isSameJson } from "../../internal/json/digest.ts"
import { isJsonObject, type JsonObject, listOf, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import type { Change } from "./differenceOfConnections.ts"
import { nameOf, type NodePairs, nodesOf, renamesIn } from "./nodes.ts"
import { isTrigger } from "./triggers.ts"

interface Graph {
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: JsonObject
}

/** The first problem of groups of nodes, the frames on the canvas: each has to hold together as a part of the workflow. */
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
  const members = new Set([first])
  for (const name of members) {
    for (const { from, to } of edges) {
      if (!inside.has(from) || !inside.has(to)) continue
      if (from === name) members.add(to)
      if (to === name) members.add(from)
    }
  }
  return members
}

const targetsOf = (types: unknown): ReadonlyArray<string> =>
  Object.values(objectOf(types)).flatMap((outputs) =>
    listOf(outputs).flatMap((targets) => listOf(targets).map((target) => String(objectOf(target).node)))
  )

/** A group of nodes, with the names of its members in place of their ids, which another instance has others of. */
interface Group {
  readonly id: unknown
  readonly name: string
  readonly description: string
  readonly members: ReadonlyArray<string>
}

/** Groups of nodes, the frames on the canvas, that came, went or hold others; engines that know none are not compared. */
export const groupChanges = (before: JsonObject, after: JsonObject, pairs: NodePairs): ReadonlyArray<Change> => {
  if (before.nodeGroups === undefined || after.nodeGroups === undefined) return []
  const renames = renamesIn(pairs)
  const old = groupsIn(before).map((group) => ({
    ...group,
    members: group.members.map((name) => renames.get(name) ?? name).toSorted()
  }))
  const now = groupsIn(after)
  const partners = new Map(
    old.flatMap((group): ReadonlyArray<readonly [Group, Group]> => {
      const one = now.find(({ id }) => id === group.id) ?? now.find(({ name }) => name === group.name)
      return one === undefined ? [] : [[group, one]]
    })
  )
  const partnerGroups = new Set(partners.values())
  return [
    ...old.flatMap((group): ReadonlyArray<Change> => {
      const one = partners.get(group)
      if (one === undefined) return [groupChange(group.name, `removed (${names(group.members)})`)]
      return [
        ...(one.name === group.name ? [] : [groupChange(one.name, `was called ${nameAmongWords(group.name)}`)]),
        ...(one.description === group.description ? [] : [groupChange(one.name, "description changed")]),
        ...(isSameJson(one.members, group.members) ? [] : [groupChange(one.name, moved(group.members, one.members))])
      ]
    }),
    ...now.flatMap((group) =>
      partnerGroups.has(group) ? [] : [groupChange(group.name, `added (${names(group.members)})`)]
    )
  ]
}

const groupChange = (name: string, text: string): Change => ({
  kind: "group",
  field: "nodeGroups",
  text: `group ${nameAmongWords(name)}: ${text}`
})

const names = (members: ReadonlyArray<string>) => members.map(nameAmongWords).join(", ")

const moved = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): string => {
  const [lost, won] = [before.filter((name) => !after.includes(name)), after.filter((name) => !before.includes(name))]
  return [
    ...(lost.length === 0 ? [] : [`without ${names(lost)}`]),
    ...(won.length === 0 ? [] : [`with ${names(won)}`])
  ].join(", ")
}

/** The groups of nodes that a workflow has. */
export const groupsIn = (workflow: JsonObject): ReadonlyArray<Group> => {
  const names = new Map(nodesOf(workflow).map((node) => [node.id, nameOf(node)]))
  return objectsOf(workflow.nodeGroups).map((group) => ({
    id: group.id,
    name: nameOf(group),
    description: Predicate.isString(group.description) ? group.description : "",
    members: listOf(group.nodeIds)
      .map((member) => names.get(member) ?? "")
      .toSorted()
  }))
}
