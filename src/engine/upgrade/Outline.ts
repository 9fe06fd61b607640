import { type JsonObject, objectOf, textOf } from "../../internal/schema/JsonObject.ts"
import { nodesOf } from "../workflow/nodes.ts"
import { errorWorkflowOf, subWorkflowOf } from "../workflow/subWorkflows.ts"
import type { Outline, Subject } from "./Rule.ts"
import { waitingNodes } from "./rules/toVersion2.ts"

/** The parts of a workflow that concern others of its instance. */
export const outlineOf = (workflow: JsonObject): Outline => {
  const nodes = nodesOf(workflow)
  return {
    id: textOf(workflow.id),
    name: textOf(workflow.name),
    isActive: workflow.active === true,
    calls: [...new Set(nodes.flatMap((node) => subWorkflowOf(node)?.id ?? []))],
    errorWorkflow: errorWorkflowOf({ settings: objectOf(workflow.settings) }),
    waiting: waitingNodes(nodes)
  }
}

/** Longest inline workflow that is kept of a node, in characters. */
const longestInline = 20_000

/** The part of a workflow that rules across workflows read; undefined where it names no other one. */
export const callingPart = (workflow: JsonObject): Subject | undefined => {
  const errorWorkflow = errorWorkflowOf({ settings: objectOf(workflow.settings) })
  const nodes = nodesOf(workflow).flatMap(({ disabled, name, parameters, type }) => {
    const { options, source, workflowId, workflowJson } = objectOf(parameters)
    const isInline = source === "parameter" && textOf(workflowJson).length <= longestInline
    const node = {
      name,
      type,
      disabled,
      parameters: { options, source, workflowId, ...(isInline ? { workflowJson } : {}) }
    }
    return isInline || subWorkflowOf(node) !== undefined ? [node] : []
  })
  return nodes.length === 0 && errorWorkflow === undefined
    ? undefined
    : { id: workflow.id, active: workflow.active, nodes, settings: { errorWorkflow } }
}
