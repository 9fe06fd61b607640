import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { reachabilityOf } from "../../workflow/components.ts"
import { isEnabled, isTrigger, kindOf } from "../../workflow/triggers.ts"
import { isExpression } from "../conditions.ts"
import type { Finding } from "./Finding.ts"
import { followersIn, type Graph, reachable } from "./graph.ts"
import type { DescribedNode } from "./node.ts"

/** The end of the finding for nodes that never run. */
const neverRuns = ": it never runs"

/** Nodes that no trigger reaches, and sub-nodes that serve no other node. */
export const checkReachability = (
  { edges, nodes }: Graph,
  describedNodes: ReadonlyMap<string, DescribedNode>
): ReadonlyArray<Finding> => {
  const all = [...nodes].filter(([, node]) => kindOf(node) !== "stickyNote")
  if (all.length === 0) return []
  const starts = all
    .filter(([name, node]) => isTrigger(node) || describedNodes.get(name)?.type.isTrigger === true)
    .map(([name]) => name)
  if (starts.length === 0) {
    // A node of an unknown type may be a trigger.
    if (all.some(([name]) => !describedNodes.has(name))) return []
    const fix = "Add one, such as a Schedule Trigger, a Webhook or a Manual Trigger, and connect it"
    return [{ level: "warning", field: "nodes", problem: "no trigger starts this workflow", fix }]
  }
  const after = new Map<string, Array<string>>()
  const add = (from: string, to: string) => {
    const targets = after.get(from)
    if (targets === undefined) after.set(from, [to])
    else targets.push(to)
  }
  for (const { from, source, target } of edges) {
    if (from === "main") add(source, target)
    else add(target, source)
  }
  const beginnings = new Set(starts)
  const serving = new Set(edges.filter(({ from }) => from !== "main").map(({ source }) => source))
  const entered = new Set(
    edges.filter(({ from, source, target }) => from === "main" && source !== target).map(({ target }) => target)
  )
  const strange = all.filter(([name]) => !describedNodes.has(name)).map(([name]) => name)
  const reached = reachable([...starts, ...strange], (name) => after.get(name) ?? [])
  return all
    .filter(
      ([name, node]) => isEnabled(node) && !reached.has(name) && !beginnings.has(name) && describedNodes.has(name)
    )
    .flatMap(([name]): ReadonlyArray<Finding> => {
      const at = { level: "warning", node: name } as const
      const gives = (describedNodes.get(name)?.type.outputs ?? [])
        .map(({ type }) => type)
        .filter((type) => type !== "main")
      const serves = serving.has(name)
      const onlyServes =
        gives.length > 0 && !(describedNodes.get(name)?.type.outputs ?? []).some(({ type }) => type === "main")
      if (onlyServes && !serves) {
        const problem = `serves no node${neverRuns}`
        return [
          { ...at, field: `connections.${gives[0]}`, problem, fix: `Connect it to a node that takes ${gives[0]}` }
        ]
      }
      // Only the first node of a connected chain is reported.
      if (entered.has(name) || serves) return []
      const problem = `no trigger leads to it${neverRuns}`
      return [{ ...at, field: "connections.main", problem, fix: "Connect it, or remove it" }]
    })
}

/** Kinds whose request a Respond to Webhook node can answer. */
const answered = new Set(["webhook", "formTrigger", "chatTrigger", "wait"])

/** Webhooks that wait for a Respond to Webhook node that is never reached, and such nodes without a waiting webhook. */
export const checkResponding = ({ edges, nodes }: Graph): ReadonlyArray<Finding> => {
  const all = [...nodes].filter(([, node]) => isEnabled(node))
  const responders = all.filter(([, node]) => kindOf(node) === "respondToWebhook").map(([name]) => name)
  const main = edges.filter(({ from }) => from === "main")
  const leads = reachabilityOf(nodes.keys(), followersIn(main))
  const hooks = all.filter(([, node]) => asksForAnswer(node))
  const triggers = all.filter(([, node]) => isTrigger(node)).map(([name]) => name)
  const waits = [...nodes].filter(([, one]) => kindOf(one) === "wait").map(([wait]) => wait)
  const answering = all.filter(([, node]) => answered.has(kindOf(node))).map(([name]) => name)
  const behindWaits = new Set(responders.filter((one) => waits.some((wait) => leads(wait, one))))
  return [
    ...hooks.flatMap(([name, node]) => {
      const reached = responders.filter((one) => leads(name, one))
      return ofHook(
        name,
        node,
        reached.length,
        reached.find((one) => !behindWaits.has(one))
      )
    }),
    ...responders.flatMap((name): ReadonlyArray<Finding> => {
      if (Number(nodes.get(name)?.typeVersion) < 1.1) return []
      const reached = triggers.some((trigger) => leads(trigger, name))
      const isFed = answering.some((other) => leads(other, name))
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
  responders: number,
  unused: string | undefined
): ReadonlyArray<Finding> => {
  const { responseMode } = objectOf(node.parameters)
  const at = { level: "error", node: name, field: "parameters.responseMode" } as const
  if (responseMode === "responseNode" && responders === 0) {
    const fix = "Lead it to a Respond to Webhook node, or set responseMode to lastNode or onReceived"
    return [{ ...at, problem: "waits for a Respond to Webhook node, and leads to none", fix }]
  }
  if (unused === undefined) return []
  if (kindOf(node) === "formTrigger" && Number(node.typeVersion) > 2.1) {
    const problem = `leads to ${unused}: from version 2.2 on a form cannot be answered by Respond to Webhook`
    return [{ ...at, problem, fix: "Take a Form node with operation completion instead" }]
  }
  if (responseMode === "responseNode" || responseMode === "streaming") return []
  const problem = `is ${JSON.stringify(responseMode ?? "onReceived")}, and ${unused} would answer`
  return [{ ...at, problem, fix: "Set responseMode to responseNode, or remove the Respond to Webhook node" }]
}
