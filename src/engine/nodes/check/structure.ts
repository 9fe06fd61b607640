import { grouped } from "../../../internal/collections.ts"
import { type JsonObject, objectOf, textOf } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { addressTexts } from "../../workflow/addresses.ts"
import { nameOf } from "../../workflow/nodes.ts"
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

const twice = (nodes: ReadonlyArray<JsonObject>, keyOf: (node: JsonObject) => string) =>
  [...grouped(nodes, keyOf)].filter(([key, all]) => key !== "" && all.length > 1)

/** Ends for which what was meant is looked for among so many nodes: each takes its time. */
const mostHints = 20
const mostCompared = 500

const ends = (
  { edges, nodes: named }: Graph,
  nodes: ReadonlyArray<JsonObject>,
  connections: unknown
): ReadonlyArray<Finding> => {
  const names = [...named.keys()].slice(0, mostCompared)
  const someNames = `Nodes: ${names.slice(0, 20).join(", ")}`
  let left = mostHints
  const hint = (name: string) => {
    if (left-- <= 0) return someNames
    const byId = nodes.find(({ id }) => textOf(id) === name)
    if (byId !== undefined) return `That is an id: use the name, ${nameOf(byId)}`
    const guess = nearest(name, names)
    return guess === undefined ? someNames : `Did you mean ${guess}?`
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
  const owners = new Map<string, string>()
  return asKept(nodes, catalog).flatMap((node) => {
    const addresses = addressTexts({ id: "", nodes: [node] })
    const collisions = addresses.flatMap(({ address }) => {
      const owner = owners.get(address)
      return owner === undefined ? [] : [takenBy(nameOf(node), address, `node ${owner}`)]
    })
    for (const { address } of addresses) owners.set(address, nameOf(node))
    return collisions
  })
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
