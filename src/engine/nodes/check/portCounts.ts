import { Predicate } from "effect"

import { type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { isEnabled, isTrigger, kindOf } from "../../workflow/triggers.ts"
import { isExpression, isShown } from "../conditions.ts"
import type { Finding } from "./Finding.ts"
import type { Edge, Graph } from "./graph.ts"
import type { DescribedNode } from "./node.ts"

/** Connections at outputs and inputs that a node does not have, and inputs that wait in vain. */
export const checkPortCounts = (
  graph: Graph,
  describedNodes: ReadonlyMap<string, DescribedNode>
): ReadonlyArray<Finding> => [
  ...graph.edges.flatMap((edge) => [
    ...beyondOutputs(edge, graph, describedNodes),
    ...beyondInputs(edge, graph, describedNodes)
  ]),
  ...[...graph.nodes].flatMap(([name, node]) => lonelyMerge(name, node, graph, describedNodes.get(name)))
]

const beyondOutputs = (
  { from, output, source }: Edge,
  { nodes }: Graph,
  describedNodes: ReadonlyMap<string, DescribedNode>
): ReadonlyArray<Finding> => {
  const [node, one] = [nodes.get(source), describedNodes.get(source)]
  if (from !== "main" || node === undefined || one === undefined) return []
  const ownCount = outputsOf(node, one)
  if (ownCount === undefined || (ownCount === 0 && one.type.hasDynamicOutputs !== true)) return []
  const hasErrors = node.onError === "continueErrorOutput"
  const count = ownCount + Number(hasErrors)
  if (output < count) return []
  const isErrorOutput = !hasErrors && output === ownCount && !isTrigger(node)
  const those = count === 0 ? "none" : count === 1 ? "only output 0" : `outputs 0 to ${count - 1}`
  const problem = `output ${output} is connected, and it has ${those}`
  return [
    {
      level: "error",
      node: source,
      field: `connections.main[${output}]`,
      problem,
      fix: isErrorOutput
        ? `An output for errors needs "onError": "continueErrorOutput" at the node`
        : (ruleHint(node) ?? "Connect one of these")
    }
  ]
}

const ruleHint = (node: JsonObject) => {
  if (kindOf(node) === "textClassifier") return "Each category has one output, in their order"
  return kindOf(node) === "switch" ? "Each rule has one output, in their order" : undefined
}

const beyondInputs = (
  { input, source, target, to }: Edge,
  { nodes }: Graph,
  describedNodes: ReadonlyMap<string, DescribedNode>
): ReadonlyArray<Finding> => {
  const [node, one] = [nodes.get(target), describedNodes.get(target)]
  if (to !== "main" || node === undefined || one === undefined) return []
  const count = inputsOf(node, one)
  if (count === undefined || count === 0 || input < count) return []
  const fix =
    kindOf(node) === "merge" && one.type.hasDynamicInputs === true
      ? `Set parameters.numberInputs to ${input + 1}`
      : `It has ${count === 1 ? "only input 0" : `inputs 0 to ${count - 1}`}`
  const problem = `leads to input ${input} of node ${target}, which has ${count === 1 ? "one" : count}`
  return [{ level: "error", node: source, field: "connections.main", problem, fix }]
}

/** Nodes that join several inputs, but get only one. */
const lonelyMerge = (
  name: string,
  node: JsonObject,
  { edges }: Graph,
  described: DescribedNode | undefined
): ReadonlyArray<Finding> => {
  if (!["merge", "compareDatasets"].includes(kindOf(node)) || !isEnabled(node) || described === undefined) return []
  const count = inputsOf(node, described) ?? 0
  const used = new Set(edges.filter(({ target, to }) => target === name && to === "main").map(({ input }) => input))
  if (count < 2 || used.size !== 1) return []
  const problem = `only its input ${[...used][0]} of ${count} is connected, so that it joins nothing`
  return [
    {
      level: "warning",
      node: name,
      field: "connections.main",
      problem,
      fix: "Lead each branch to an input of its own (index 0, 1, …)"
    }
  ]
}

/** The number of main outputs of a node, without the one for errors; undefined if only its code decides. */
const outputsOf = (node: JsonObject, { settings, type }: DescribedNode): number | undefined => {
  if (type.hasDynamicOutputs !== true) {
    return type.outputs.filter((port) => port.type === "main" && isShown(port, settings)).length
  }
  const values = objectOf(settings.values)
  if (kindOf(node) === "textClassifier") {
    const categories = objectOf(values.categories).categories
    const hasOther = objectOf(values.options).fallback === "other"
    return Array.isArray(categories) ? categories.length + Number(hasOther) : undefined
  }
  if (kindOf(node) !== "switch") return undefined
  if (values.mode === "expression") return Predicate.isNumber(values.numberOutputs) ? values.numberOutputs : undefined
  const rules = objectOf(values.rules)
  const { values: list, rules: older } = rules
  if (isExpression(values.rules) || !(Array.isArray(list) || Array.isArray(older))) return undefined
  const { fallbackOutput } = { ...values, ...objectOf(values.options) }
  if (isExpression(fallbackOutput)) return undefined
  return listOf(list ?? older).length + Number(fallbackOutput === "extra")
}

const inputsOf = (node: JsonObject, { settings, type }: DescribedNode): number | undefined => {
  if (type.hasDynamicInputs !== true) {
    return type.inputs.filter((port) => port.type === "main" && isShown(port, settings)).length
  }
  const { numberInputs } = objectOf(settings.values)
  return kindOf(node) === "merge" && Predicate.isNumber(numberInputs) ? numberInputs : undefined
}
