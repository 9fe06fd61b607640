import { Predicate } from "effect"

import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { nameOf } from "../../workflow/models.ts"
import { nodesOf } from "../../workflow/nodes.ts"
import { hasValidTrigger, isEnabled, isTrigger, kindOf } from "../../workflow/triggers.ts"
import { type Schedules, schedulesIn } from "./schedules.ts"

/** A client whose instance is looked at. */
export type Engine = EngineClient["Service"]

/** What is kept of a workflow to judge it. */
export interface WorkflowFacts {
  readonly id: string
  readonly name: string
  readonly active: boolean
  /** Before that, it may have been another one, or switched off. */
  readonly updatedAt: number | undefined
  readonly schedules: Schedules
  readonly zone: string | undefined
  readonly savesNoSuccess: boolean
  /** Why no trigger of an active workflow can start it. */
  readonly triggerProblem: string | undefined
  /** The credentials that its nodes name. */
  readonly credentials: ReadonlyArray<{
    readonly node: string
    readonly type: string
    readonly id: string
    readonly name: string
  }>
}

/** Reads what matters of a workflow as a list shows it; an archived one does not count. */
export const workflowFactsOf = (workflow: JsonObject): WorkflowFacts | undefined => {
  if (workflow.isArchived === true) return undefined
  const running = nodesOf(isJsonObject(workflow.activeVersion) ? workflow.activeVersion : workflow)
  const settings = objectOf(workflow.settings)
  const zone = Predicate.isString(settings.timezone) && settings.timezone !== "DEFAULT" ? settings.timezone : undefined
  return {
    id: String(workflow.id),
    name: nameOf(workflow),
    active: workflow.active === true,
    updatedAt: Predicate.isString(workflow.updatedAt) ? Date.parse(workflow.updatedAt) : undefined,
    schedules: schedulesIn(running),
    zone,
    savesNoSuccess: settings.saveDataSuccessExecution === "none",
    triggerProblem: workflow.active === true ? triggerProblemOf(running, workflow.triggerCount) : undefined,
    credentials: nodesOf(workflow).flatMap(credentialsOf)
  }
}

/** Kinds that other workflows start: a workflow with one of them listens to no event of its own. */
const passive = new Set(["errorTrigger", "executeWorkflowTrigger"])

const triggerProblemOf = (nodes: ReadonlyArray<JsonObject>, triggerCount: unknown): string | undefined => {
  const enabled = nodes.filter(isEnabled)
  const isCalled = enabled.some((node) => passive.has(kindOf(node)))
  if (hasValidTrigger(nodes)) return triggerCount === 0 && !isCalled ? "none of its triggers listens" : undefined
  if (isCalled) return undefined
  return nodes.some((node) => isTrigger(node) && !isEnabled(node))
    ? "its trigger is disabled"
    : "it has no trigger that starts it"
}

const credentialsOf = (node: JsonObject) =>
  Object.entries(objectOf(node.credentials)).flatMap(([type, given]) =>
    isJsonObject(given) && Predicate.isString(given.id) && given.id !== ""
      ? [{ node: nameOf(node), type, id: given.id, name: Predicate.isString(given.name) ? given.name : "" }]
      : []
  )
