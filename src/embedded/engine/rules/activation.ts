import { Predicate } from "effect"

import type { Free } from "../../../engine/Workflow.ts"
import { badRequest, type Refusal } from "../wire/Refusal.ts"
import { isKnownType } from "./kinds.ts"
import { hasBadSchedule, isEnabled, isTrigger, kindOf, parametersOf } from "./triggers.ts"
import { asFree } from "./values.ts"

interface Candidate {
  readonly id: string
  readonly name: string
  readonly nodes: ReadonlyArray<Free>
}

/** Why an engine will not switch a workflow on, or nothing. */
export const activationProblem = (workflow: Candidate, isSecond: boolean): Refusal | undefined => {
  const { id, name, nodes } = workflow
  const stranger = nodes.find(({ type }) => !Predicate.isString(type) || !isKnownType(type))
  if (stranger !== undefined) return badRequest(`Unrecognized node type: ${String(stranger.type)}`)
  if (isSecond) return secondProblem(nodes)
  if (!nodes.some((node) => isTrigger(node, false))) {
    return badRequest(
      `Workflow "${name}" (ID: ${id}) has no node to start the workflow - at least one trigger, poller or webhook node is required`
    )
  }
  return nodes.some((node) => isEnabled(node) && hasBadSchedule(node))
    ? badRequest(`There was a problem activating the workflow: "Invalid cron expression"`)
    : undefined
}

const secondProblem = (nodes: ReadonlyArray<Free>): Refusal | undefined => {
  if (!nodes.some((node) => isTrigger(node, true))) {
    return badRequest(
      "Workflow cannot be activated because it has no trigger node. At least one trigger, webhook, or polling node is required."
    )
  }
  const issues = nodes.filter(isEnabled).flatMap((node) => {
    const missing = missingParameter(node)
    return missing === undefined
      ? []
      : [`Node "${String(node.name)}":\n  - Missing or invalid required parameters: ${missing}`]
  })
  return issues.length === 0
    ? undefined
    : badRequest(`Cannot publish workflow: ${issues.length} node have configuration issues:\n\n${issues.join("\n\n")}`)
}

/** A parameter that a node cannot do without; of the many that engines know, those of the commonest nodes. */
const missingParameter = (node: Free): string | undefined => {
  const { inputSource, url, workflowInputs } = parametersOf(node)
  if (kindOf(node) === "httpRequest" && (url === undefined || url === "")) return "url"
  const takesAnything = inputSource === "passthrough" || inputSource === "jsonExample"
  const isVague = !takesAnything && Object.keys(asFree(workflowInputs)).length === 0
  return kindOf(node) === "executeWorkflowTrigger" && isVague ? "workflowInputs" : undefined
}
