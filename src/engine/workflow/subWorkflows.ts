import { Predicate } from "effect"

import { type JsonObject, isJsonObject } from "../../internal/schema/JsonObject.ts"
import { kindOf } from "./triggers.ts"

/** Kinds of nodes that run another workflow. */
const callers = new Set(["executeWorkflow", "toolWorkflow", "retrieverWorkflow"])

/** Another workflow that a node runs. */
export interface SubWorkflow {
  readonly id: string
  /** As the node remembers it; it may be called otherwise by now. */
  readonly name: string | undefined
}

/** The workflow that a node runs, as far as that stands fast: an expression is only known to the engine. */
export const subWorkflowOf = (node: JsonObject): SubWorkflow | undefined => {
  if (!callers.has(kindOf(node)) || !isJsonObject(node.parameters)) return undefined
  const { source, workflowId } = node.parameters
  if (source !== undefined && source !== "database") return undefined
  const value = isJsonObject(workflowId) ? workflowId.value : workflowId
  if (!Predicate.isString(value) || value.startsWith("=")) return undefined
  const id = /\/workflow\/([A-Za-z0-9_-]+)/.exec(value)?.[1] ?? value.trim()
  const name = isJsonObject(workflowId) ? workflowId.cachedResultName : undefined
  return id === "" ? undefined : { id, name: Predicate.isString(name) && name !== "" ? name : undefined }
}

/** The workflow that is started when this one fails. */
export const errorWorkflowOf = ({ settings }: JsonObject): string | undefined =>
  isJsonObject(settings) && Predicate.isString(settings.errorWorkflow) && settings.errorWorkflow !== ""
    ? settings.errorWorkflow
    : undefined
