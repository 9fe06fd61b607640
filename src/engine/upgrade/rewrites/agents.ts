import { Predicate, Result, Struct } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { agentType } from "../../workflow/naming.ts"
import { nameOf } from "../../workflow/nodes.ts"
import { agentMode } from "../rules/toVersion3.ts"
import { left, parametersOf, type Rewrite } from "./Rewrite.ts"

/** The first version without modes. */
const typeVersion = 2

/** Agents that name no source of their prompt have it from the chat trigger, as later ones have, from this version on. */
const withSource = 1.7
/** Older ones take this field, and have no parameter for the source. */
const withoutSource = 1.2
const oldPrompt = { promptType: "define", text: "={{ $json.input }}" }

const versionOf = (node: JsonObject): number => Number(node.typeVersion ?? 1)

/** The parameters that an agent of version 2 needs to get the same prompt; undefined where nobody knows them. */
const promptOf = (node: JsonObject): JsonObject | undefined => {
  const { promptType, text } = parametersOf(node)
  if (versionOf(node) <= withoutSource) return Predicate.isString(text) ? { ...oldPrompt, text } : oldPrompt
  if (promptType === "define") return {}
  return promptType === "auto" || versionOf(node) >= withSource ? { promptType: "auto" } : undefined
}

/** The tools agent as one of version 2: its wires stay, and nobody can compare the answers of models. */
export const rewriteAgent: Rewrite = (graph, node, { problemOf }) => {
  const prompt = promptOf(node)
  if (prompt === undefined) return left("nobody knows where it has its prompt from: name the source in the node")
  const parameters = { ...Struct.omit(parametersOf(node), ["agent"]), ...prompt }
  const next = { ...node, typeVersion, parameters }
  const problem = problemOf(next)
  if (problem !== undefined) return left(`the present engine cannot run what takes its place: ${problem}`)
  const name = nameOf(node)
  return Result.succeed({
    graph: { ...graph, nodes: graph.nodes.map((one) => (one === node ? next : one)) },
    entry: name,
    exit: name,
    conditions: ["models answer otherwise each time: see that it calls the same tools"]
  })
}

/** A draft of the operation that makes a tools agent of one in another mode: nobody can say that it does the same. */
export const draftAgent: Rewrite = (_, node) => {
  const operation = {
    op: "retype",
    node: nameOf(node),
    type: agentType("agent"),
    typeVersion,
    parameters: { agent: null, ...promptOf(node) }
  }
  const mode = agentMode(node.typeVersion ?? 1, parametersOf(node).agent)
  const tool = mode === "sqlAgent" ? " It needs a tool for its database." : ""
  return left(`its mode ${mode} has no equal.${tool} A draft for edit_workflow: ${JSON.stringify(operation)}`)
}
