import { Predicate } from "effect"

import type { Free } from "../../../engine/Workflow.ts"
import { asFree } from "../store/values.ts"
import { isEnabled, kindOf, parametersOf } from "./triggers.ts"

/** Where one trigger of an active workflow is called. */
export interface Address {
  readonly method: string
  /** Decoded, from the root: `webhook/orders/:id`. A segment with a colon is variable. */
  readonly path: string
  readonly node: Free
}

/** Everything that a workflow with these nodes listens to. */
export const addressesOf = (workflowId: string, nodes: ReadonlyArray<Free>): ReadonlyArray<Address> =>
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
        const own = path ?? asFree(options).path
        const place = placeOf(workflowId, node, own)
        const isNowhere = node.typeVersion === 1 && own === undefined
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

/** A node without an id of its own is found below its workflow; variable segments are found below the id. */
const placeOf = (workflowId: string, node: Free, path: unknown): string => {
  const own = Predicate.isString(path) ? path.split("/").filter((segment) => segment !== "") : []
  const { webhookId } = node
  if (!Predicate.isString(webhookId)) {
    return [workflowId, encodeURIComponent(String(node.name).toLowerCase()), ...own].join("/")
  }
  const isVariable = own.some((segment) => segment.startsWith(":"))
  return own.length === 0 || isVariable ? [webhookId, ...own].join("/") : own.join("/")
}

/** The values of the variable segments when a path is at this address, or nothing. */
export const match = (address: Address, path: string): Record<string, string> | undefined => {
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
