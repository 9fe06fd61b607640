import { Struct } from "effect"

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
  const nodes = nodesOf(workflow).flatMap((node) => {
    const { options, source, workflowJson } = objectOf(node.parameters)
    const isInline = source === "parameter" && textOf(workflowJson).length <= longestInline
    const called = subWorkflowOf(node)?.id
    if (!isInline && called === undefined) return []
    const calling = {
      ...(isInline ? { source, workflowJson } : { workflowId: called }),
      ...(options === undefined ? {} : { options })
    }
    return [{ ...Struct.pick(node, ["name", "type", "disabled"]), parameters: calling }]
  })
  return nodes.length === 0 && errorWorkflow === undefined
    ? undefined
    : {
        ...Struct.pick(workflow, ["id", "active"]),
        nodes,
        ...(errorWorkflow === undefined ? {} : { settings: { errorWorkflow } })
      }
}
