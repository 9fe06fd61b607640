import { Predicate } from "effect"

import type { Free } from "../../../engine/Workflow.ts"
import { asFree, asList, own, textOf } from "../store/values.ts"
import { badRequest, type Refusal } from "../wire/Refusal.ts"
import { isKnownType } from "./kinds.ts"
import { hasBadSchedule, isEnabled, isTrigger, kindOf, parametersOf } from "./triggers.ts"

interface Candidate {
  readonly id: string
  readonly name: string
  readonly nodes: ReadonlyArray<Free>
  readonly connections: Free
}

/** Why an engine will not switch a workflow on, or nothing. */
export const activationProblem = (workflow: Candidate, isSecond: boolean): Refusal | undefined => {
  const stranger = workflow.nodes.find(({ type }) => !Predicate.isString(type) || !isKnownType(type))
  if (stranger !== undefined) return badRequest(`Unrecognized node type: ${textOf(stranger.type)}`)
  return isSecond ? secondProblem(workflow) : firstProblem(workflow)
}

const firstProblem = ({ id, name, nodes }: Candidate): Refusal | undefined => {
  const triggers = nodes.filter((node) => isTrigger(node, false))
  if (triggers.length === 0) {
    return badRequest(
      `Workflow "${name}" (ID: ${id}) has no node to start the workflow - at least one trigger, poller or webhook node is required`
    )
  }
  const bare = triggers.find((node) => missingCredential(node) !== undefined)
  if (bare !== undefined) {
    const problem = "Node does not have any credentials set"
    return badRequest(kindOf(bare) === "emailReadImap" ? inQuotes(problem) : problem)
  }
  return triggers.some(hasBadSchedule) ? badRequest(inQuotes("Invalid cron expression")) : undefined
}

const inQuotes = (problem: string) => `There was a problem activating the workflow: "${problem}"`

const secondProblem = ({ connections, nodes }: Candidate): Refusal | undefined => {
  if (!nodes.some((node) => isTrigger(node, true))) {
    return badRequest(
      "Workflow cannot be activated because it has no trigger node. At least one trigger, webhook, or polling node is required."
    )
  }
  const targets = targetsIn(connections)
  const issues = nodes
    .filter((node) => isEnabled(node) && (isTrigger(node, true) || targets.has(textOf(node.name))))
    .flatMap((node) => {
      const lines = issuesOf(node)
      return lines.length === 0 ? [] : [`Node "${textOf(node.name)}":\n${lines.join("\n")}`]
    })
  if (issues.length === 0) return undefined
  const count = issues.length === 1 ? "1 node have" : `${issues.length} nodes have`
  return badRequest(`Cannot publish workflow: ${count} configuration issues:\n\n${issues.join("\n\n")}`)
}

/** The names of the nodes that something leads to. */
const targetsIn = (connections: Free): ReadonlySet<string> =>
  new Set(
    Object.values(connections)
      .flatMap((types) => Object.values(asFree(types)))
      .flatMap(asList)
      .flatMap(asList)
      .map((target) => textOf(asFree(target).node))
  )

const issuesOf = (node: Free): ReadonlyArray<string> => {
  const credential = missingCredential(node)
  const parameter = missingParameter(node)
  return [
    ...(credential === undefined ? [] : [`  - Missing required credential: ${credential}`]),
    ...(parameter === undefined ? [] : [`  - Missing or invalid required parameters: ${parameter}`])
  ]
}

/** What triggers need credentials for; of the many that engines know, those that people meet first. */
const credentialOf: Readonly<Record<string, string>> = { emailReadImap: "imap", telegramTrigger: "telegramApi" }

const missingCredential = (node: Free): string | undefined => {
  const type = own(credentialOf, kindOf(node))
  return type !== undefined && asFree(node.credentials)[type] === undefined ? type : undefined
}

/** A parameter that a node cannot do without; again only of the commonest. */
const missingParameter = (node: Free): string | undefined => {
  const { inputSource, url, workflowInputs } = parametersOf(node)
  if (kindOf(node) === "httpRequest") return textOf(url) === "" ? "url" : undefined
  const takesAnything = node.typeVersion === 1 || inputSource === "passthrough" || inputSource === "jsonExample"
  const isVague = !takesAnything && Object.keys(asFree(workflowInputs)).length === 0
  return kindOf(node) === "executeWorkflowTrigger" && isVague ? "workflowInputs" : undefined
}
