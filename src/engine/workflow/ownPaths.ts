import { Predicate } from "effect"

import { type JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { collisions } from "./addresses.ts"
import { nameOf, type Workflow } from "./models.ts"
import { isEnabled, kindOf } from "./triggers.ts"

/** Editors choose such a path where nobody else does. */
const generated = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * The nodes of a copy, which have new webhook ids already. A path that an editor once chose becomes the new id, as editors
 * do it, the same for all nodes that share it; one that somebody has chosen stays.
 */
export const nodesWithOwnPaths = (
  nodes: ReadonlyArray<JsonObject>,
  originals: ReadonlyArray<JsonObject>
): ReadonlyArray<JsonObject> => {
  const copied = new Set(originals.map(pathOf))
  const renewed = new Map<string, string>()
  return nodes.map((node) => {
    const path = pathOf(node)
    const { parameters, webhookId } = node
    if (!Predicate.isString(webhookId) || !generated.test(path) || !copied.has(path)) return node
    const own = renewed.get(path) ?? webhookId
    renewed.set(path, own)
    return { ...node, parameters: { ...objectOf(parameters), path: own } }
  })
}

const pathOf = ({ parameters }: JsonObject): string => {
  const { path } = objectOf(parameters)
  return Predicate.isString(path) ? path : ""
}

/** What to say of nodes of a copy that want the same calls as nodes of its original. */
export const sharedAddresses = (nodes: ReadonlyArray<JsonObject>, original: Workflow): ReadonlyArray<string> => {
  const { active, activeVersion, id } = original
  const theirs = [...original.nodes, ...(active ? objectsOf(objectOf(activeVersion).nodes) : [])]
  const servers = new Set(theirs.filter(isServer).map(pathOf))
  const shared = [
    ...collisions({ id: "", nodes }, { id, nodes: theirs }),
    ...nodes
      .filter((node) => isServer(node) && servers.has(pathOf(node)))
      .map((node) => ({ node: nameOf(node), address: `/mcp/${pathOf(node)}` }))
  ]
  return shared.map(
    ({ address, node }) =>
      `${node} has ${address} in common with ${id}: only one of both can answer there while both are active. ` +
      "Set parameters.path of one of them."
  )
}

/** Whether MCP clients find a node at its path. */
const isServer = (node: JsonObject) => kindOf(node) === "mcpTrigger" && isEnabled(node)
