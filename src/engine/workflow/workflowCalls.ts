import { Predicate, Struct } from "effect"

import { type JsonObject, isJsonObject } from "../../internal/schema/JsonObject.ts"
import { errorWorkflowOf, subWorkflowOf } from "./subWorkflows.ts"

/** What of a workflow can name other workflows. */
interface Calling {
  readonly nodes: ReadonlyArray<JsonObject>
  readonly settings?: JsonObject | null | undefined
}

/** Where a workflow names another one: nodes that run it, its error workflow, who may call it. */
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
