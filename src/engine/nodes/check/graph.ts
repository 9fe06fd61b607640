import { Predicate } from "effect"

import { type JsonObject, listOf, objectOf, objectsOf } from "../../../internal/schema/JsonObject.ts"
import { nameOf } from "../../client/models.ts"
import { isEnabled, isTrigger, kindOf } from "../../workflow/triggers.ts"
import { textOf } from "../json.ts"
import type { Finding } from "./Finding.ts"

/** A connection. */
export interface Edge {
  readonly source: string
  readonly target: string
  /** Types of the output and of the input. */
  readonly from: string
  readonly to: string
  readonly output: number
  readonly input: number
}

/** The connections of a workflow. */
export interface Graph {
  readonly nodes: ReadonlyMap<string, JsonObject>
  readonly edges: ReadonlyArray<Edge>
}

/** Reads connections in the engine's form; others are ignored. */
export const graphOf = (nodes: ReadonlyArray<JsonObject>, connections: unknown): Graph => ({
  nodes: new Map(nodes.map((node) => [nameOf(node), node])),
  edges: Object.entries(objectOf(connections)).flatMap(([source, types]) =>
    Object.entries(objectOf(types)).flatMap(([from, outputs]) =>
      listOf(outputs).flatMap((targets, output) =>
        objectsOf(targets).map(({ index, node, type }) => ({
          source,
          target: textOf(node),
          from,
          to: Predicate.isString(type) ? type : from,
          output,
          input: Predicate.isNumber(index) ? index : 0
        }))
      )
    )
  )
})

/** Names of the nodes reachable along edges; the start is included only if it is in a loop. */
export const reachable = (
  starts: ReadonlyArray<string>,
  next: (name: string) => ReadonlyArray<string>,
  without?: string
): ReadonlySet<string> => {
  const found = new Set<string>()
  const open = starts.filter((name) => name !== without).flatMap(next)
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name) || name === without) continue
    found.add(name)
    open.push(...next(name))
  }
  return found
}

const neighbours = (edges: ReadonlyArray<Edge>, key: "source" | "target", other: "source" | "target") => {
  const map = new Map<string, Array<string>>()
  for (const edge of edges) {
    const known = map.get(edge[key])
    if (known === undefined) map.set(edge[key], [edge[other]])
    else known.push(edge[other])
  }
  return (name: string): ReadonlyArray<string> => map.get(name) ?? []
}

/** The order of nodes in a run. */
export interface Order {
  /** Whether a node can have run when another one runs. */
  readonly canPrecede: (before: string, node: string) => boolean
  /** Whether an enabled trigger leads to a node. */
  readonly runs: (node: string) => boolean
}

/** The order in which nodes can run. Nodes that serve another one, as a model serves an agent, run with it. */
export const orderOf = ({ edges, nodes }: Graph): Order => {
  const main = edges.filter(({ from }) => from === "main")
  const served = neighbours(
    edges.filter(({ from }) => from !== "main"),
    "source",
    "target"
  )
  const next = neighbours(main, "source", "target")
  const triggers = [...nodes].filter(([, node]) => isTrigger(node) && isEnabled(node)).map(([name]) => name)

  const previous = neighbours(main, "target", "source")
  const hostsOf = (node: string) => (served(node).length === 0 ? [node] : [...reachable([node], served)])
  const known = new Map<string, ReadonlySet<string>>()
  /** The predecessors of a node, including itself if it is in a loop. */
  const before = (node: string): ReadonlySet<string> => {
    const found = known.get(node) ?? reachable([node], previous)
    known.set(node, found)
    return found
  }
  const startsOf = (host: string) => triggers.filter((name) => name === host || before(host).has(name))

  const canPrecede = (name: string, node: string): boolean => {
    const isHelper = served(name).length > 0
    if (isHelper) return true
    return hostsOf(node).some((host) => {
      if (before(host).has(name)) return true
      if (name === host) return false
      const starts = startsOf(host)
      // What no trigger reaches is not ordered by this workflow.
      if (starts.length === 0) return true
      return starts.some((start) => start === name || reachable([start], next, host).has(name))
    })
  }

  return { canPrecede, runs: (node) => hostsOf(node).some((host) => startsOf(host).length > 0) }
}

/** Kinds that pass on everything they get, so that a loop of only these never ends. */
const passing = new Set([
  "set",
  "noOp",
  "wait",
  "merge",
  "httpRequest",
  "dateTime",
  "crypto",
  "renameKeys",
  "markdown",
  "sort",
  "respondToWebhook",
  "editImage"
])

/** Nodes in loops or after them: those that remain when nodes without predecessors are removed repeatedly. */
const behindLoops = (edges: ReadonlyArray<Edge>): ReadonlySet<string> => {
  const coming = new Map<string, number>()
  for (const { target } of edges) coming.set(target, (coming.get(target) ?? 0) + 1)
  const next = neighbours(edges, "source", "target")
  const open = [...new Set(edges.map(({ source }) => source))].filter((name) => !coming.has(name))
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const target of next(name)) {
      const left = (coming.get(target) ?? 0) - 1
      coming.set(target, left)
      if (left === 0) open.push(target)
    }
  }
  return new Set([...coming].filter(([, count]) => count > 0).map(([name]) => name))
}

/** Loops that no node can end. */
export const checkLoops = ({ edges, nodes }: Graph): ReadonlyArray<Finding> => {
  const main = edges.filter(({ from, to }) => from === "main" && to === "main")
  const next = neighbours(main, "source", "target")
  const told = new Set<string>()
  return [...behindLoops(main)]
    .filter((name) => nodes.has(name))
    .flatMap((name): ReadonlyArray<Finding> => {
      if (told.has(name)) return []
      const after = reachable([name], next)
      if (!after.has(name)) return []
      const loop = [...after].filter((other) => reachable([other], next).has(name))
      for (const member of loop) told.add(member)
      if (loop.some((member) => canEnd(nodes.get(member), member, main, new Set(loop)))) return []
      const fix = "Lead one output of an If, Switch or Loop Over Items out of it"
      const members = new Set(loop)
      const round = [...reachable([name], (member) => next(member).filter((other) => members.has(other)))]
      const others = round.filter((member) => member !== name)
      return [
        { level: "error", node: name, problem: `the loop ${[name, ...others, name].join(" → ")} never ends`, fix }
      ]
    })
}

/** Loop nodes with nothing in the loop, because only their output for the end is connected. */
export const checkBatches = ({ edges, nodes }: Graph): ReadonlyArray<Finding> =>
  [...nodes].flatMap(([name, node]): ReadonlyArray<Finding> => {
    if (kindOf(node) !== "splitInBatches" || Number(node.typeVersion) < 3 || node.disabled === true) return []
    const leaving = edges.filter(({ from, source }) => source === name && from === "main")
    const outputs = leaving.map(({ output }) => output)
    const inside = leaving.filter(({ output }) => output === 1).map(({ target }) => target)
    if (inside.length > 0) {
      const next = neighbours(
        edges.filter(({ from }) => from === "main"),
        "source",
        "target"
      )
      if (inside.includes(name) || reachable(inside, next).has(name)) return []
      const problem = "what its second output (loop) leads to does not lead back, so that only the first batch is done"
      return [
        { level: "error", node: name, field: "connections.main", problem, fix: "Connect the last node of it to this" }
      ]
    }
    if (!outputs.includes(0)) return []
    const problem = "only its first output (done) is connected, so that nothing is done with the items"
    const fix = "Lead its second output (loop) to what is to be done with each batch, and that back to this node"
    return [{ level: "error", node: name, field: "connections.main", problem, fix }]
  })

/** Whether a node of a loop can stop items from going round again. */
const canEnd = (
  node: JsonObject | undefined,
  name: string,
  edges: ReadonlyArray<Edge>,
  loop: ReadonlySet<string>
): boolean => {
  if (node === undefined || node.disabled === true) return false
  const kind = kindOf(node)
  const inside = new Set(
    edges.filter(({ source, target }) => source === name && loop.has(target)).map(({ output }) => output)
  )
  if (kind === "if") return inside.size < 2
  // From its third version on, the first output is the one for the end of the loop.
  if (kind === "splitInBatches") return Number(node.typeVersion) < 3 || inside.size < 2
  return !passing.has(kind) || node.onError === "continueErrorOutput"
}
