import { Predicate } from "effect"

import { grouped } from "../../internal/collections.ts"
import { type JsonObject, listOf } from "../../internal/schema/JsonObject.ts"
import { nameOf, nodesOf } from "./nodes.ts"
import { isTrigger, kindOf } from "./triggers.ts"
import { type Edge, edgesOf } from "./wires.ts"

/** A workflow's nodes in the order in which a person would tell of them. */
export interface Flow {
  /** The nodes that run, from the triggers on, branch after branch. */
  readonly reached: ReadonlyArray<JsonObject>
  /** The nodes that no trigger leads to. */
  readonly unreached: ReadonlyArray<JsonObject>
  readonly notes: ReadonlyArray<JsonObject>
  /** Arrows of the main kind by the node that they leave. */
  readonly leaving: ReadonlyMap<string, ReadonlyArray<Edge>>
  /** Arrows from the parts of a node, such as the model of an agent, by that node. */
  readonly serving: ReadonlyMap<string, ReadonlyArray<Edge>>
  /** Nodes by name; of several with one name the first. */
  readonly named: ReadonlyMap<string, JsonObject>
}

/** Reads the graph of a workflow, whatever an engine keeps as one. */
export const flowOf = (workflow: JsonObject): Flow => {
  const all = nodesOf(workflow)
  const notes = all.filter((node) => kindOf(node) === "stickyNote")
  const nodes = all.filter((node) => kindOf(node) !== "stickyNote")
  const named = new Map(nodes.toReversed().map((node) => [nameOf(node), node]))
  const edges = edgesOf(workflow.connections)
  const isMain = ({ type }: Edge) => type === "main"
  const leaving = grouped(edges.filter(isMain), ({ source }) => source)
  const serving = grouped(
    edges.filter((edge) => !isMain(edge) && named.has(edge.source)),
    ({ target }) => target
  )
  const served = new Set(
    edges
      .filter((edge) => !isMain(edge) && named.has(edge.target) && edge.source !== edge.target)
      .map(({ source }) => source)
  )
  const starts = nodes.filter((node) => isTrigger(node)).toSorted(byPlace)
  const reached = walk(joined(starts, leaving, named), leaving, named)
  const below = partsOf([...reached], serving)
  const left = nodes.filter((node) => !reached.has(node) && !below.has(nameOf(node)))
  const hasEntry = new Set(edges.filter(isMain).map(({ target }) => target))
  const free = left.filter((node) => !hasEntry.has(nameOf(node)) && !served.has(nameOf(node))).toSorted(byPlace)
  const others = left.filter((node) => !served.has(nameOf(node)))
  const apart = walk(
    [...free, ...others].map((node) => [node]),
    leaving,
    named
  )
  const unreached = [...apart].filter((node) => !reached.has(node))
  const ordered = new Set([...reached, ...unreached])
  const partsOfUnreached = partsOf(unreached, serving)
  const rest = left.filter((node) => !ordered.has(node) && !partsOfUnreached.has(nameOf(node)))
  return { reached: [...reached], unreached: [...unreached, ...rest], notes, leaving, serving, named }
}

/** From left to right is how a workflow runs, from top to bottom how its beginnings are read. */
const byPlace = (a: JsonObject, b: JsonObject): number => {
  const [ax, ay] = placeOf(a)
  const [bx, by] = placeOf(b)
  return ay - by || ax - bx
}

const placeOf = ({ position }: JsonObject): readonly [number, number] => {
  const [x, y]: ReadonlyArray<unknown> = listOf(position)
  return [Predicate.isNumber(x) ? x : 0, Predicate.isNumber(y) ? y : 0]
}

/** Nodes along the arrows, each once: first where a branch ends at once, then each branch to its end. */
const walk = (
  groups: ReadonlyArray<ReadonlyArray<JsonObject>>,
  leaving: Flow["leaving"],
  named: Flow["named"]
): ReadonlySet<JsonObject> => {
  const seen = new Set<JsonObject>()
  const isEnd = (node: JsonObject) => !leaving.has(nameOf(node))
  const next = (node: JsonObject): ReadonlyArray<JsonObject> => {
    const targets = (leaving.get(nameOf(node)) ?? [])
      .map(({ target }) => named.get(target))
      .filter(Predicate.isNotUndefined)
    return [...targets.filter(isEnd), ...targets.filter((target) => !isEnd(target))]
  }
  for (const starts of groups) {
    const fresh = starts.filter((node) => !seen.has(node))
    for (const node of fresh) seen.add(node)
    const open = fresh.flatMap(next).toReversed()
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (seen.has(node)) continue
      seen.add(node)
      open.push(...next(node).toReversed())
    }
  }
  return seen
}

/** Triggers in their order; one that only leads to where an earlier one leads stands beside that, before the nodes that both start. */
const joined = (
  starts: ReadonlyArray<JsonObject>,
  leaving: Flow["leaving"],
  named: Flow["named"]
): ReadonlyArray<ReadonlyArray<JsonObject>> => {
  const targetsOf = (node: JsonObject) => (leaving.get(nameOf(node)) ?? []).map(({ target }) => target)
  const groups: Array<{ readonly reach: ReadonlySet<string>; readonly nodes: Array<JsonObject> }> = []
  for (const start of starts) {
    const targets = targetsOf(start)
    const group = targets.length === 0 ? undefined : groups.find(({ reach }) => targets.every((one) => reach.has(one)))
    if (group !== undefined) group.nodes.push(start)
    else groups.push({ reach: new Set([...walk([[start]], leaving, named)].map(nameOf)), nodes: [start] })
  }
  return groups.map(({ nodes }) => nodes)
}

/** The names of all parts of these nodes, and of their parts. */
const partsOf = (nodes: ReadonlyArray<JsonObject>, serving: Flow["serving"]): ReadonlySet<string> => {
  const names = new Set<string>()
  const open = nodes.map(nameOf)
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const { source } of serving.get(name) ?? []) {
      if (!names.has(source)) open.push(source)
      names.add(source)
    }
  }
  return names
}
