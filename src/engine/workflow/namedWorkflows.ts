import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { nodesOf } from "./nodePairs.ts"
import { errorWorkflowOf, subWorkflowOf } from "./subWorkflows.ts"

/** What of a workflow names other workflows. */
interface Naming extends JsonObject {
  readonly nodes?: unknown
  readonly settings?: unknown
}

/** The ids of the workflows that a workflow runs, and of the one that is started when it fails, each once. */
export const namedIds = (workflow: Naming): ReadonlyArray<string> => {
  const error = errorWorkflowOf(workflow)
  const called = nodesOf(workflow).flatMap((node) => subWorkflowOf(node)?.id ?? [])
  return [...new Set([...called, ...(error === undefined ? [] : [error])])]
}

/**
 * A workflow that names others by what they are called instead of by their ids, as people compare them: ids are others on
 * every instance. What the editor remembers of them besides goes with their ids.
 */
export const withWorkflowNames = (workflow: Naming, names: ReadonlyMap<string, string>): JsonObject => {
  const error = errorWorkflowOf(workflow)
  const name = error === undefined ? undefined : names.get(error)
  const settings = objectOf(workflow.settings)
  return {
    ...workflow,
    ...(Array.isArray(workflow.nodes) ? { nodes: nodesOf(workflow).map((node) => calledByName(node, names)) } : {}),
    ...(name === undefined ? {} : { settings: { ...settings, errorWorkflow: name } })
  }
}

const calledByName = (node: JsonObject, names: ReadonlyMap<string, string>): JsonObject => {
  const name = names.get(subWorkflowOf(node)?.id ?? "")
  return name === undefined || !isJsonObject(node.parameters)
    ? node
    : { ...node, parameters: { ...node.parameters, workflowId: name } }
}
