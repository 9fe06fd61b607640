import { Predicate } from "effect"

import { type JsonObject, listOf } from "../../internal/schema/JsonObject.ts"
import { InvalidWorkflow } from "./models.ts"
import { nodeKind, neutralType } from "./naming.ts"

/** Kinds that start a workflow though their names do not end in "Trigger". */
const unmarked = new Set(["webhook", "cron", "interval", "emailReadImap", "start"])

/** Kinds that only start a workflow in the editor. */
const manual = new Set(["manualTrigger", "manualChatTrigger", "start"])

/** Kinds that are started by another workflow or an evaluation: nothing of theirs can be switched on. */
const passive = new Set(["errorTrigger", "executeWorkflowTrigger", "evaluationTrigger"])

/** The kind of a node, its type without the package; "" when it has none. */
export const kindOf = (node: JsonObject): string => (Predicate.isString(node.type) ? nodeKind(node.type) : "")

/** Whether a node takes part in runs. */
export const isEnabled = (node: JsonObject): boolean => node.disabled !== true

/** Whether a node starts the workflow, in whatever way. */
export const isTrigger = (node: JsonObject): boolean => unmarked.has(kindOf(node)) || kindOf(node).endsWith("Trigger")

/** Whether another workflow, its failure or an evaluation starts it. */
export const isPassive = (node: JsonObject): boolean => passive.has(kindOf(node))

/** Whether a node alone is reason enough to activate its workflow: an enabled schedule, webhook or service trigger. */
const isValidTrigger = (node: JsonObject): boolean =>
  isEnabled(node) && isTrigger(node) && !manual.has(kindOf(node)) && !passive.has(kindOf(node))

/** Whether a workflow with these nodes can be activated. */
export const hasValidTrigger = (nodes: ReadonlyArray<JsonObject>): boolean => nodes.some(isValidTrigger)

/** Whether a workflow can be started in the editor and nowhere else. */
export const hasOnlyManualTrigger = (nodes: ReadonlyArray<JsonObject>): boolean => {
  const triggers = nodes.filter((node) => isEnabled(node) && isTrigger(node))
  return triggers.length > 0 && triggers.every((node) => manual.has(kindOf(node)))
}

/** The refusal to activate a workflow without a valid trigger, or to take the last one from a workflow that `isActive`. */
export const noValidTrigger = (isActive = false) => {
  const refusal =
    "Workflow cannot be activated without a valid trigger node. Add a schedule, webhook or service trigger."
  return new InvalidWorkflow({
    message: isActive ? `${refusal} It is active now: keep its trigger, or deactivate it first.` : refusal
  })
}

interface Graph {
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: JsonObject
}

/** Adds a daily 'Schedule Trigger', left of the first node and connected to it; the node's name is unique. */
export const addScheduleTrigger = ({ nodes, connections }: Graph): Graph & { readonly added: string } => {
  const [first] = nodes
  const added = freeName("Schedule Trigger", new Set(nodes.map(({ name }) => name)))
  const trigger = {
    name: added,
    type: neutralType("scheduleTrigger"),
    typeVersion: 1.2,
    position: leftOf(first?.position),
    parameters: { rule: { interval: [{ field: "days", daysInterval: 1, triggerAtHour: 0 }] } }
  }
  const edges = Predicate.isString(first?.name)
    ? { [added]: { main: [[{ node: first.name, type: "main", index: 0 }]] } }
    : {}
  return { added, nodes: [...nodes, trigger], connections: { ...connections, ...edges } }
}

const freeName = (wanted: string, taken: ReadonlySet<unknown>): string => {
  let name = wanted
  for (let count = 1; taken.has(name); count++) name = `${wanted}${count}`
  return name
}

const leftOf = (position: unknown): readonly [number, number] => {
  const [x, y]: ReadonlyArray<unknown> = listOf(position)
  return Predicate.isNumber(x) && Predicate.isNumber(y) ? [x - 220, y] : [0, 0]
}
