import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { addressesOf, collisions } from "../../workflow/addresses.ts"
import type { Catalog } from "../Catalog.ts"
import { textOf } from "../json.ts"
import type { Finding } from "./Finding.ts"

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
