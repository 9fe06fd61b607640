import { Predicate } from "effect"

import { grouped } from "../../../internal/collections.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { isSameButForIds } from "../../history/record.ts"
import { addressTexts } from "../../workflow/addresses.ts"
import { nameOf } from "../../workflow/models.ts"
import { nodesOf } from "../../workflow/nodes.ts"
import { hasValidTrigger, isEnabled, isTrigger, kindOf } from "../../workflow/triggers.ts"
import { type Schedules, schedulesIn } from "./schedules.ts"

/** The client of the instance that is checked. */
export type Engine = EngineClient["Service"]

/** The facts of a workflow by which it is judged. */
export interface WorkflowFacts {
  readonly id: string
  readonly name: string
  readonly active: boolean
  /** Before this time, the workflow may have had other content, or been inactive. */
  readonly updatedAt: number | undefined
  readonly schedules: Schedules
  readonly zone: string | undefined
  readonly savesNoSuccess: boolean
  /** Whether another version was saved than the one that runs. */
  readonly hasOtherDraft: boolean
  /** Whether it has nodes that ask a language model. */
  readonly asksModels: boolean
  /** The reason why no trigger of an active workflow can start it. */
  readonly triggerProblem: string | undefined
  /** The addresses at which an active workflow is called from outside. */
  readonly addresses: ReturnType<typeof addressTexts>
  /** The credentials that its nodes name. */
  readonly credentials: ReadonlyArray<{
    readonly node: string
    readonly type: string
    readonly id: string
    readonly name: string
  }>
}

/** The facts of a workflow as a list shows it; undefined for an archived one. */
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
    hasOtherDraft: hasOtherDraft(workflow),
    asksModels: running.some((node) => isEnabled(node) && kindOf(node).startsWith("lm")),
    savesNoSuccess: settings.saveDataSuccessExecution === "none",
    triggerProblem: workflow.active === true ? triggerProblemOf(running, workflow.triggerCount) : undefined,
    addresses: workflow.active === true ? addressTexts({ id: String(workflow.id), nodes: running }) : [],
    credentials: nodesOf(workflow).flatMap(credentialsOf)
  }
}

/** Whether a workflow was saved with other content than the version that runs. */
const hasOtherDraft = ({ activeVersion, activeVersionId, connections, nodes, versionId }: JsonObject): boolean =>
  isJsonObject(activeVersion) &&
  versionId !== activeVersionId &&
  !isSameButForIds({ nodes: activeVersion.nodes, connections: activeVersion.connections }, { nodes, connections })

/** Addresses at which several active workflows want to be called: engines call one of them, and tell nobody. */
export const collisionsOf = (workflows: ReadonlyArray<WorkflowFacts>) => {
  const wanted = workflows.flatMap(({ addresses, id, name }) =>
    addresses.map(({ address, node }) => ({ address, workflow: name, id, node }))
  )
  return [...grouped(wanted, ({ address }) => address)].flatMap(([address, owners]) =>
    new Set(owners.map(({ id }) => id)).size < 2
      ? []
      : [{ address, workflows: owners.map(({ id, node, workflow }) => ({ workflow, id, node })) }]
  )
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
