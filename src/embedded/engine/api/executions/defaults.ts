import type { Free } from "../../../../engine/Workflow.ts"
import { kindOf, parametersOf } from "../../rules/triggers.ts"
import { own } from "../../store/values.ts"

/** The parameters that a run fills in where a node leaves them out, in their order; of the commonest kinds only. */
const defaults: Readonly<Record<string, (parameters: Free) => Free>> = {
  webhook: ({ responseMode }) => ({
    multipleMethods: false,
    httpMethod: "GET",
    path: "",
    authentication: "none",
    responseMode: "onReceived",
    ...(responseMode === "lastNode" ? { responseData: "firstEntryJson" } : {}),
    ...(responseMode === "responseNode" ? { webhookNotice: "" } : {}),
    options: {}
  }),
  code: () => ({ mode: "runOnceForAllItems", language: "javaScript", jsCode: "", notice: "" }),
  respondToWebhook: ({ respondWith }) => ({
    generalNotice: "",
    respondWith: "firstIncomingItem",
    webhookNotice: "",
    ...(respondWith === "json" || respondWith === "text" ? { responseBody: "" } : {}),
    options: {}
  }),
  set: ({ assignments, mode }) => ({
    ...(assignments === undefined && mode === undefined ? {} : { mode: "manual", duplicateItem: false }),
    ...(assignments === undefined ? {} : { assignments }),
    ...(mode === "raw" ? { jsonOutput: "" } : {}),
    includeOtherFields: false,
    options: {}
  }),
  wait: () => ({ resume: "timeInterval" }),
  stopAndError: () => ({ errorType: "errorMessage", errorMessage: "" })
}

/** A node as an execution shows it. */
export const withDefaults = (node: Free): Free => {
  const given = parametersOf(node)
  const filled = own(defaults, kindOf(node))?.(given)
  return filled === undefined ? node : { ...node, parameters: { ...filled, ...given } }
}
