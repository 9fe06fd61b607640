import { Cron, Predicate, Result } from "effect"

import { type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { nodeKind } from "../../workflow/naming.ts"
import { textOf } from "../store/values.ts"

/** Kinds that start a workflow though their names do not end in "Trigger". */
const unmarked = new Set(["cron", "emailReadImap", "interval", "webhook"])

/** Kinds that only people in the editor start. */
const manual = new Set(["evaluationTrigger", "manualChatTrigger", "manualTrigger"])

/** Kinds that other workflows start. */
const passive = new Set(["errorTrigger", "executeWorkflowTrigger"])

export const kindOf = ({ type }: JsonObject): string => (Predicate.isString(type) ? nodeKind(type) : "")

/** The parameters of a node, `{}` when it has none. */
export const parametersOf = ({ parameters }: JsonObject): JsonObject => objectOf(parameters)

export const isEnabled = ({ disabled }: JsonObject): boolean => disabled !== true

/** Whether something outside can start a workflow at a node. */
export const isTrigger = (node: JsonObject): boolean => {
  const kind = kindOf(node)
  if (!isEnabled(node) || manual.has(kind) || passive.has(kind)) return false
  return unmarked.has(kind) || kind.endsWith("Trigger")
}

/** Whether other workflows can start a workflow at a node, by a call or by failing. */
export const isPassiveTrigger = (node: JsonObject): boolean => isEnabled(node) && passive.has(kindOf(node))

/** The number of listeners of these nodes. A form and a chat have two: one for display and one for submission. */
export const countListeners = (nodes: ReadonlyArray<JsonObject>): number =>
  nodes.filter((node) => isTrigger(node) && !hasBadSchedule(node)).reduce((sum, node) => sum + listenersOf(node), 0)

const listenersOf = (node: JsonObject): number => (/^(form|chat)Trigger$/.test(kindOf(node)) ? 2 : 1)

/** Whether a schedule has a malformed cron expression. */
export const hasBadSchedule = (node: JsonObject): boolean => {
  if (kindOf(node) !== "scheduleTrigger") return false
  const { interval } = objectOf(parametersOf(node).rule)
  return listOf(interval).some(
    (entry: unknown) =>
      objectOf(entry).field === "cronExpression" && Result.isFailure(Cron.parse(textOf(objectOf(entry).expression)))
  )
}

/** The nodes that run by a schedule. */
export const schedulesIn = (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> =>
  nodes.filter((node) => kindOf(node) === "scheduleTrigger" && isEnabled(node) && !hasBadSchedule(node))

/** An address at which one trigger of an active workflow is called. */
export interface Address {
  readonly method: string
  /** Decoded, from the root: `webhook/orders/:id`. A segment with a colon is variable. */
  readonly path: string
  readonly node: JsonObject
}

/** Every address that a workflow with these nodes listens to. */
export const addressesOf = (workflowId: string, nodes: ReadonlyArray<JsonObject>): ReadonlyArray<Address> =>
  nodes.filter(isEnabled).flatMap((node) => {
    const { httpMethod, options, path, public: isPublic } = parametersOf(node)
    switch (kindOf(node)) {
      case "webhook":
        return methodsOf(httpMethod).map((method) => ({
          method,
          node,
          path: `webhook/${placeOf(workflowId, node, path)}`
        }))
      case "formTrigger": {
        const formPath = path ?? objectOf(options).path
        const place = placeOf(workflowId, node, formPath)
        const isNowhere = node.typeVersion === 1 && formPath === undefined
        return isNowhere ? [] : ["GET", "POST"].map((method) => ({ method, node, path: `form/${place}` }))
      }
      case "chatTrigger": {
        const place = `webhook/${placeOf(workflowId, node, undefined)}/chat`
        return isPublic === true ? ["GET", "POST"].map((method) => ({ method, node, path: place })) : []
      }
      default:
        return []
    }
  })

const methodsOf = (method: unknown): ReadonlyArray<string> =>
  (Array.isArray(method) ? method : [method ?? "GET"]).filter(Predicate.isString)

/** A node without a webhook id has an address below its workflow; a path with variable segments is below the id. */
const placeOf = (workflowId: string, node: JsonObject, path: unknown): string => {
  const segments = Predicate.isString(path) ? path.split("/").filter((segment) => segment !== "") : []
  const { webhookId } = node
  if (!Predicate.isString(webhookId)) {
    return [workflowId, encodeURIComponent(String(node.name).toLowerCase()), ...segments].join("/")
  }
  const isVariable = segments.some((segment) => segment.startsWith(":"))
  return segments.length === 0 || isVariable ? [webhookId, ...segments].join("/") : segments.join("/")
}

/** The values of the variable segments if a path is at this address; otherwise undefined. */
export const matchAddress = (address: Address, path: string): Record<string, string> | undefined => {
  const wanted = address.path.split("/")
  const given = path.split("/")
  if (wanted.length !== given.length) return undefined
  const variables: Record<string, string> = {}
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? ""
    if (segment.startsWith(":")) variables[segment.slice(1)] = value
    else if (segment !== value) return undefined
  }
  return variables
}
