import { Predicate, Struct } from "effect"

import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { nodesOf } from "./nodes.ts"
import { located } from "./resources.ts"
import { kindOf } from "./triggers.ts"

/** Kinds of nodes that run another workflow. */
const callers = new Set(["executeWorkflow", "toolWorkflow", "retrieverWorkflow"])

/** Another workflow that a node runs. */
interface SubWorkflow {
  readonly id: string
  /** As the node remembers it; it may be called otherwise by now. */
  readonly name: string | undefined
}

/** The workflow that a node runs, as far as that stands fast: an expression is only known to the engine. */
export const subWorkflowOf = (node: JsonObject): SubWorkflow | undefined => {
  if (!callers.has(kindOf(node)) || !isJsonObject(node.parameters)) return undefined
  const { source, workflowId } = node.parameters
  if (source !== undefined && source !== "database") return undefined
  const choice = located(workflowId)
  if (choice === undefined || choice.value.startsWith("=")) return undefined
  const id = /\/workflow\/([A-Za-z0-9_-]+)/.exec(choice.value)?.[1] ?? choice.value
  return { id, name: choice.name }
}

/** The workflow that is started when this one fails. */
export const errorWorkflowOf = ({ settings }: JsonObject): string | undefined =>
  isJsonObject(settings) && Predicate.isString(settings.errorWorkflow) && settings.errorWorkflow !== ""
    ? settings.errorWorkflow
    : undefined

/** The parts of a workflow that can name other workflows. */
interface Calling {
  readonly nodes: ReadonlyArray<JsonObject>
  readonly settings?: JsonObject | null | undefined
}

/** The places at which a workflow names another one: nodes that run it, its error workflow, its allowed callers. */
export const callsOf = ({ nodes, settings }: Calling, id: string): ReadonlyArray<string> => [
  ...nodes.flatMap((node) => (subWorkflowOf(node)?.id === id ? [String(node.name)] : [])),
  ...(errorWorkflowOf({ settings }) === id ? ["settings.errorWorkflow"] : []),
  ...(idsAllowed(settings).includes(id) ? ["settings.callerIds"] : [])
]

/** The parts of a workflow in which it names another one, with a third one in its place. */
export const callingInstead = (
  { nodes, settings }: Calling,
  from: string,
  to: string
): { readonly nodes?: ReadonlyArray<JsonObject>; readonly settings?: JsonObject } => {
  const places = callsOf({ nodes, settings }, from)
  const isIn = (field: string) => places.includes(`settings.${field}`)
  const changed = {
    ...(isIn("errorWorkflow") ? { errorWorkflow: to } : {}),
    ...(isIn("callerIds")
      ? {
          callerIds: idsAllowed(settings)
            .map((id) => (id === from ? to : id))
            .join(",")
        }
      : {})
  }
  const isCalled = nodes.some((node) => subWorkflowOf(node)?.id === from)
  return {
    ...(isCalled ? { nodes: nodes.map((node) => running(node, from, to)) } : {}),
    ...(Struct.keys(changed).length === 0 ? {} : { settings: changed })
  }
}

const idsAllowed = (settings: Calling["settings"]): ReadonlyArray<string> =>
  Predicate.isString(settings?.callerIds) ? settings.callerIds.split(",").map((id) => id.trim()) : []

/** The id stands as it is, in an address of the editor, or in both. */
const running = (node: JsonObject, from: string, to: string): JsonObject => {
  const { parameters } = node
  if (subWorkflowOf(node)?.id !== from || !isJsonObject(parameters)) return node
  const { workflowId } = parameters
  const replaced = (value: unknown) => (Predicate.isString(value) ? value.replaceAll(from, to) : value)
  const named = isJsonObject(workflowId)
    ? {
        ...workflowId,
        ...Object.fromEntries(
          addressed.flatMap((field) => (field in workflowId ? [[field, replaced(workflowId[field])]] : []))
        )
      }
    : replaced(workflowId)
  return { ...node, parameters: { ...parameters, workflowId: named } }
}

const addressed = ["value", "cachedResultUrl"]

/** A workflow of which parts may be missing. */
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
