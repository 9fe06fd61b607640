import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { runningNodes } from "../nodes/check/activeOwners.ts"
import { nameOf, type Workflow } from "../workflow/models.ts"
import { isTrigger } from "../workflow/triggers.ts"

/**
 * A workflow without what concerns only itself, so that thousands fit into memory: of its nodes those that start it or call
 * others, and of further ones only which credentials they use.
 */
export const outlineOf = (workflow: Workflow): Workflow => {
  const { activeVersion, meta: _meta, pinData: _pins, shared: _shared, staticData: _data, ...rest } = workflow
  return {
    ...rest,
    nodes: workflow.nodes.flatMap(outlineOfNode),
    connections: {},
    ...(isJsonObject(activeVersion) ? { activeVersion: { nodes: runningNodes(workflow).flatMap(outlineOfNode) } } : {})
  }
}

const outlineOfNode = (node: JsonObject): ReadonlyArray<JsonObject> => {
  if (isTrigger(node) || objectOf(node.parameters)["workflowId"] !== undefined) return [node]
  const { credentials, type, typeVersion } = node
  return credentials === undefined ? [] : [{ name: nameOf(node), type, typeVersion, credentials }]
}
