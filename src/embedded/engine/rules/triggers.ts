import { Cron, Predicate, Result } from "effect"

import { nodeKind } from "../../../engine/naming.ts"
import type { Free } from "../../../engine/Workflow.ts"
import { asFree, asList, textOf } from "../store/values.ts"

/** Kinds that start a workflow though their names do not end in "Trigger". */
const unmarked = new Set(["cron", "emailReadImap", "interval", "webhook"])

/** Kinds that nothing outside can start. */
const manual = new Set(["evaluationTrigger", "manualChatTrigger", "manualTrigger"])
const passive = new Set(["errorTrigger", "executeWorkflowTrigger"])

export const kindOf = ({ type }: Free): string => (Predicate.isString(type) ? nodeKind(type) : "")

/** The parameters of a node, `{}` when it has none. */
export const parametersOf = ({ parameters }: Free): Free => asFree(parameters)

export const isEnabled = ({ disabled }: Free): boolean => disabled !== true

/** Whether a node lets its workflow be switched on; 2.x engines also count triggers that others start. */
export const isTrigger = (node: Free, isSecond: boolean): boolean => {
  const kind = kindOf(node)
  if (!isEnabled(node) || manual.has(kind)) return false
  return passive.has(kind) ? isSecond : unmarked.has(kind) || kind.endsWith("Trigger")
}

/** How many listeners the triggers of these nodes have. A form and a chat listen for being shown and for being sent. */
export const countListeners = (nodes: ReadonlyArray<Free>): number =>
  nodes
    .filter((node) => isTrigger(node, false) && !hasBadSchedule(node))
    .reduce((sum, node) => sum + listenersOf(node), 0)

const listenersOf = (node: Free): number => (/^(form|chat)Trigger$/.test(kindOf(node)) ? 2 : 1)

/** Whether a schedule has a cron expression that is none. */
export const hasBadSchedule = (node: Free): boolean => {
  if (kindOf(node) !== "scheduleTrigger") return false
  const { interval } = asFree(parametersOf(node).rule)
  return asList(interval).some(
    (entry: unknown) =>
      asFree(entry).field === "cronExpression" && Result.isFailure(Cron.parse(textOf(asFree(entry).expression)))
  )
}

/** What a schedule notes in the static data of its workflow once it is listened to. */
export const scheduleState = (nodes: ReadonlyArray<Free>, isSecond: boolean): Free =>
  Object.fromEntries(
    nodes
      .filter((node) => kindOf(node) === "scheduleTrigger" && isEnabled(node) && !hasBadSchedule(node))
      .map((node) => [
        `node:${String(node.name)}`,
        isSecond ? { recurrenceRules: [null], recurrenceRuleSignatures: [null] } : { recurrenceRules: [] }
      ])
  )
