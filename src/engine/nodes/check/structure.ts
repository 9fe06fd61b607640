import { type JsonObject, objectOf, textOf } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/schema/nearest.ts"
import { addressesOf, collisions } from "../../workflow/addresses.ts"
import { nameOf } from "../../workflow/models.ts"
import type { Catalog } from "../Catalog.ts"
import type { Finding } from "./Finding.ts"
import type { Graph } from "./graph.ts"

/** Duplicate names and ids of nodes, and connections whose ends do not exist. */
export const checkStructure = (
  nodes: ReadonlyArray<JsonObject>,
  graph: Graph,
  connections: unknown
): ReadonlyArray<Finding> => [
  ...twice(nodes, nameOf).map(([name, all]): Finding => ({
    level: "error",
    node: name,
    field: "name",
    problem: `${all.length} nodes have this name`,
    fix: "Connections and expressions find nodes by their names: give each its own"
  })),
  ...twice(nodes, ({ id }) => textOf(id)).map(([id, all]): Finding => ({
    level: "error",
    node: nameOf(all[1] ?? {}),
    field: "id",
    problem: `has the id ${id}, as node ${nameOf(all[0] ?? {})} has`,
    fix: "Leave ids of new nodes out: the engine makes them"
  })),
  ...ends(graph, nodes, connections)
]

const twice = (nodes: ReadonlyArray<JsonObject>, keyOf: (node: JsonObject) => string) => {
  const groups = new Map<string, Array<JsonObject>>()
  for (const node of nodes) {
    const key = keyOf(node)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [node])
    else group.push(node)
  }
  return [...groups].filter(([key, all]) => key !== "" && all.length > 1)
}

const ends = (
  { edges, nodes: named }: Graph,
  nodes: ReadonlyArray<JsonObject>,
  connections: unknown
): ReadonlyArray<Finding> => {
  const hint = (name: string) => {
    const byId = nodes.find(({ id }) => textOf(id) === name)
    if (byId !== undefined) return `That is an id: use the name, ${nameOf(byId)}`
    const guess = nearest(name, [...named.keys()])
    return guess === undefined ? `Nodes: ${[...named.keys()].slice(0, 20).join(", ")}` : `Did you mean ${guess}?`
  }
  const sources = Object.keys(objectOf(connections)).filter((name) => !named.has(name))
  return [
    ...sources.map((name): Finding => ({
      level: "error",
      field: `connections.${name}`,
      problem: `connections begin at ${name}, which is not a node`,
      fix: hint(name)
    })),
    ...edges
      .filter(({ source, target }) => named.has(source) && !named.has(target))
      .map(({ from, output, source, target }): Finding => ({
        level: "error",
        node: source,
        field: `connections.${from}[${output}]`,
        problem: `leads to ${target === "" ? "nothing" : target}, which is not a node`,
        fix: hint(target)
      }))
  ]
}

/** Webhooks of one workflow with the same address. */
export const checkAddresses = (
  nodes: ReadonlyArray<JsonObject>,
  catalog: Catalog | undefined
): ReadonlyArray<Finding> => {
  const all = asKept(nodes, catalog).filter((node) => addressesOf({ id: "", nodes: [node] }).length > 0)
  return all.flatMap((node, place) =>
    collisions({ id: "", nodes: [node] }, { id: "", nodes: all.slice(0, place) }).map((one) =>
      takenBy(one.node, one.address, `node ${one.otherNode}`)
    )
  )
}

/** The nodes as the engine will store them: from generation 2 on, it gives every webhook an id, on which its address depends. */
export const asKept = (nodes: ReadonlyArray<JsonObject>, catalog: Catalog | undefined): ReadonlyArray<JsonObject> =>
  catalog === undefined || Number.parseInt(catalog.version, 10) < 2
    ? nodes
    : nodes.map((node, place) => (textOf(node.webhookId) === "" ? { ...node, webhookId: `new-${place}` } : node))

/** The finding for an address that belongs to another workflow. */
export const takenBy = (node: string, address: string, owner: string): Finding => ({
  level: "error",
  node,
  field: "parameters.path",
  problem: `${address} is taken by ${owner}`,
  fix: "Choose another path"
})
