import { Predicate } from "effect"

import { lazy } from "../../../internal/caching.ts"
import { type JsonObject, listOf, objectOf, objectsOf, textOf } from "../../../internal/schema/JsonObject.ts"
import { componentsOf, reachabilityOf } from "../../workflow/components.ts"
import { nameOf } from "../../workflow/nodes.ts"
import { isEnabled, isTrigger, kindOf } from "../../workflow/triggers.ts"
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
  const names = new Set<string>()
  const open = starts.filter((name) => name !== without).flatMap(next)
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (names.has(name) || name === without) continue
    names.add(name)
    for (const following of next(name)) open.push(following)
  }
  return names
}

const grouped = <A>(edges: ReadonlyArray<Edge>, keyOf: (edge: Edge) => string, take: (edge: Edge) => A) => {
  const map = new Map<string, Array<A>>()
  for (const edge of edges) {
    const group = map.get(keyOf(edge))
    if (group === undefined) map.set(keyOf(edge), [take(edge)])
    else group.push(take(edge))
  }
  return (name: string): ReadonlyArray<A> => map.get(name) ?? []
}

const leavingOf = (edges: ReadonlyArray<Edge>) =>
  grouped(
    edges,
    ({ source }) => source,
    (edge) => edge
  )

/** The nodes that each node leads to along these edges. */
export const followersIn = (edges: ReadonlyArray<Edge>) =>
  grouped(
    edges,
    ({ source }) => source,
    ({ target }) => target
  )

/** The order of nodes in a run. */
export interface Order {
  /** Whether a node can have run when another one runs. */
  readonly canPrecede: (before: string, node: string) => boolean
  /** Whether an enabled trigger leads to a node. */
  readonly runs: (node: string) => boolean
}

/** Nodes that one node serves; of more nobody can say in which order they run. */
const maxHosts = 20

/** The order in which nodes can run. Nodes that serve another one, as a model serves an agent, run with it. */
export const orderOf = ({ edges, nodes }: Graph): Order => {
  const main = edges.filter(({ from }) => from === "main")
  const served = followersIn(edges.filter(({ from }) => from !== "main"))
  const next = followersIn(main)
  const leads = reachabilityOf([...nodes.keys(), ...main.map(({ source }) => source)], next)
  const triggers = [...nodes].filter(([, node]) => isTrigger(node) && isEnabled(node)).map(([name]) => name)

  const hostsOf = (node: string) => (served(node).length === 0 ? [node] : [...reachable([node], served)])
  const startsOf = (host: string) => triggers.filter((name) => name === host || leads(name, host))
  /** The nodes that the triggers of a host reach without it; cached for the last host. */
  let around:
    | { readonly host: string; readonly starts: ReadonlySet<string>; readonly names: ReadonlySet<string> }
    | undefined
  const aroundOf = (host: string) => {
    if (around?.host === host) return around
    const starts = startsOf(host)
    around = { host, starts: new Set(starts), names: reachable(starts, next, host) }
    return around
  }

  const canPrecede = (name: string, node: string): boolean => {
    const isHelper = served(name).length > 0
    if (isHelper) return true
    const hosts = hostsOf(node)
    if (hosts.length > maxHosts) return true
    return hosts.some((host) => {
      if (leads(name, host)) return true
      if (name === host) return false
      const { names, starts } = aroundOf(host)
      // What no trigger reaches is not ordered by this workflow.
      return starts.size === 0 || starts.has(name) || names.has(name)
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

/** Members of a loop that a finding names. */
const maxNamed = 12

/** Loops that no node can end. */
export const checkLoops = ({ edges, nodes }: Graph): ReadonlyArray<Finding> => {
  const main = edges.filter(({ from, to }) => from === "main" && to === "main")
  const next = followersIn(main)
  const leaving = leavingOf(main)
  const starts = new Map(main.map(({ target }, place): [string, number] => [target, place]).toReversed())
  const placeOf = (name: string) => starts.get(name) ?? Infinity
  return componentsOf(nodes.keys(), next)
    .filter(([name = "", ...others]) => others.length > 0 || next(name).includes(name))
    .map((loop) => loop.filter((name) => nodes.has(name)).toSorted((a, b) => placeOf(a) - placeOf(b)))
    .toSorted(([a = ""], [b = ""]) => placeOf(a) - placeOf(b))
    .flatMap((loop): ReadonlyArray<Finding> => {
      const [name] = loop
      const members = new Set(loop)
      if (name === undefined) return []
      if (loop.some((member) => canEnd(nodes.get(member), leaving(member), members))) return []
      const fix = "Lead one output of an If, Switch or Loop Over Items out of it"
      const round = reachable([name], (member) => next(member).filter((other) => members.has(other)))
      const others = [...round].filter((member) => member !== name)
      const left = others.length - maxNamed
      const named = left > 0 ? [...others.slice(0, maxNamed), `${left} more`] : others
      return [{ level: "error", node: name, problem: `the loop ${[name, ...named, name].join(" → ")} never ends`, fix }]
    })
}

/** Loop nodes with nothing in the loop, because only their output for the end is connected. */
export const checkBatches = ({ edges, nodes }: Graph): ReadonlyArray<Finding> => {
  const main = edges.filter(({ from }) => from === "main")
  const leads = lazy(() => reachabilityOf(nodes.keys(), followersIn(main)))
  const leaving = leavingOf(main)
  return [...nodes].flatMap(([name, node]): ReadonlyArray<Finding> => {
    if (kindOf(node) !== "splitInBatches" || Number(node.typeVersion) < 3 || node.disabled === true) return []
    const ofNode = leaving(name)
    const inside = ofNode.filter(({ output }) => output === 1).map(({ target }) => target)
    const at = { node: name, field: "connections.main" } as const
    if (inside.length > 0) {
      if (inside.some((target) => target === name || leads()(target, name))) return []
      const problem = "what its second output (loop) leads to does not lead back, so that only the first batch is done"
      return [{ ...at, level: "warning", problem, fix: "Connect the last node of it to this" }]
    }
    if (!ofNode.some(({ output }) => output === 0)) return []
    const problem = "only its first output (done) is connected, so that nothing is done with the items"
    const fix = "Lead its second output (loop) to what is to be done with each batch, and that back to this node"
    return [{ ...at, level: "error", problem, fix }]
  })
}

/** Whether a node of a loop can stop items from going round again. */
const canEnd = (node: JsonObject | undefined, leaving: ReadonlyArray<Edge>, loop: ReadonlySet<string>): boolean => {
  if (node === undefined || node.disabled === true) return false
  const kind = kindOf(node)
  const inside = new Set(leaving.filter(({ target }) => loop.has(target)).map(({ output }) => output))
  if (kind === "if") return inside.size < 2
  // From its third version on, the first output is the one for the end of the loop.
  if (kind === "splitInBatches") return Number(node.typeVersion) < 3 || inside.size < 2
  return !passing.has(kind) || node.onError === "continueErrorOutput"
}
