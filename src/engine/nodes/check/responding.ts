import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { isEnabled, isTrigger, kindOf } from "../../workflow/triggers.ts"
import { isExpression } from "../conditions.ts"
import type { Finding } from "./Finding.ts"
import { type Graph, reachable } from "./graph.ts"

/** Kinds whose request a Respond to Webhook node can answer. */
const answered = new Set(["webhook", "formTrigger", "chatTrigger", "wait"])

/** Webhooks that wait for a Respond to Webhook node that is never reached, and such nodes without a waiting webhook. */
export const checkResponding = ({ edges, nodes }: Graph): ReadonlyArray<Finding> => {
  const all = [...nodes].filter(([, node]) => isEnabled(node))
  const responders = all.filter(([, node]) => kindOf(node) === "respondToWebhook").map(([name]) => name)
  const after = new Map<string, Array<string>>()
  for (const { from, source, target } of edges) {
    if (from === "main") after.set(source, [...(after.get(source) ?? []), target])
  }
  const from = (name: string) => reachable([name], (one) => after.get(one) ?? [])
  const hooks = all.filter(([, node]) => asksForAnswer(node)).map(([name, node]) => ({ name, node, reach: from(name) }))
  const triggers = all.filter(([, node]) => isTrigger(node)).map(([name]) => ({ name, reach: from(name) }))
  return [
    ...hooks.flatMap(({ name, node, reach }) =>
      ofHook(
        name,
        node,
        responders.filter((one) => reach.has(one)),
        nodes,
        from
      )
    ),
    ...responders.flatMap((name): ReadonlyArray<Finding> => {
      if (Number(nodes.get(name)?.typeVersion) < 1.1) return []
      const reached = triggers.some(({ reach }) => reach.has(name))
      const isFed = all.some(([other, node]) => answered.has(kindOf(node)) && from(other).has(name))
      if (!reached || isFed) return []
      const problem = "no webhook leads to it, so that there is nobody to answer"
      const fix = "Begin with a Webhook node whose responseMode is responseNode, or remove this node"
      return [{ level: "error", node: name, field: "connections.main", problem, fix }]
    })
  ]
}

const asksForAnswer = (node: JsonObject): boolean => {
  const { responseMode } = objectOf(node.parameters)
  return ["webhook", "formTrigger"].includes(kindOf(node)) && !isExpression(responseMode)
}

const ofHook = (
  name: string,
  node: JsonObject,
  responders: ReadonlyArray<string>,
  nodes: Graph["nodes"],
  from: (name: string) => ReadonlySet<string>
): ReadonlyArray<Finding> => {
  const { responseMode } = objectOf(node.parameters)
  const at = { level: "error", node: name, field: "parameters.responseMode" } as const
  if (responseMode === "responseNode" && responders.length === 0) {
    const fix = "Lead it to a Respond to Webhook node, or set responseMode to lastNode or onReceived"
    return [{ ...at, problem: "waits for a Respond to Webhook node, and leads to none", fix }]
  }
  const waits = [...nodes].filter(([, one]) => kindOf(one) === "wait").map(([wait]) => wait)
  const unused = responders.find((one) => !waits.some((wait) => from(wait).has(one)))
  if (unused === undefined) return []
  if (kindOf(node) === "formTrigger" && Number(node.typeVersion) > 2.1) {
    const problem = `leads to ${unused}: from version 2.2 on a form cannot be answered by Respond to Webhook`
    return [{ ...at, problem, fix: "Take a Form node with operation completion instead" }]
  }
  if (responseMode === "responseNode" || responseMode === "streaming") return []
  const problem = `is ${JSON.stringify(responseMode ?? "onReceived")}, and ${unused} would answer`
  return [{ ...at, problem, fix: "Set responseMode to responseNode, or remove the Respond to Webhook node" }]
}
