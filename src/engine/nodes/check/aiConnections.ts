import { Predicate } from "effect"

import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { nodeKind } from "../../workflow/naming.ts"
import { isEnabled } from "../../workflow/triggers.ts"
import { isShown } from "../conditions.ts"
import type { Port } from "../NodeType.ts"
import type { Finding } from "./Finding.ts"
import type { Edge, Graph } from "./graph.ts"
import type { DescribedNode } from "./node.ts"

/** Kinds that need a model on engines that say so only in code. */
const needsModel = new Set(["agent", "agentTool", "chainLlm", "chainSummarization", "chainRetrievalQa"])

/** Examples of nodes for a required connection. */
const partExamples: ReadonlyMap<string, string> = new Map([
  ["ai_languageModel", "a chat model, such as lmChatOpenAi"],
  ["ai_memory", "a memory, such as memoryBufferWindow"],
  ["ai_tool", "a tool"],
  ["ai_embedding", "embeddings, such as embeddingsOpenAi"],
  ["ai_outputParser", "an output parser, such as outputParserStructured"],
  ["ai_document", "a document loader, such as documentDefaultDataLoader"],
  ["ai_retriever", "a retriever, such as retrieverVectorStore"],
  ["ai_vectorStore", "a vector store"],
  ["ai_textSplitter", "a text splitter"]
])

/** Connections of a type that one of their ends does not have, too many connections, and missing ones. */
export const checkAiConnections = (
  graph: Graph,
  describedNodes: ReadonlyMap<string, DescribedNode>
): ReadonlyArray<Finding> => [
  ...graph.edges.flatMap((edge) => checkEdge(edge, graph, describedNodes)),
  ...[...graph.nodes].flatMap(([name, node]) =>
    isEnabled(node) ? checkInputs(name, graph, describedNodes.get(name)) : []
  )
]

/** The types of ports that a node can have; if code decides, all types that it names. */
const portsOf = (ports: ReadonlyArray<Port>, { settings }: DescribedNode, isDynamic = false) =>
  ports.filter((port) => isDynamic || isShown(port, settings)).map(({ type }) => type)

const outputsOf = (node: DescribedNode) => portsOf(node.type.outputs, node, node.type.hasDynamicOutputs)

const inputsOf = (node: DescribedNode) => portsOf(node.type.inputs, node, node.type.hasDynamicInputs)

const listed = (types: ReadonlyArray<string>) => [...new Set(types)].join(", ") || "nothing"

const goesOn = (node: JsonObject = {}) =>
  node.continueOnFail === true || (Predicate.isString(node.onError) && node.onError.startsWith("continue"))

const checkEdge = (
  edge: Edge,
  graph: Graph,
  describedNodes: ReadonlyMap<string, DescribedNode>
): ReadonlyArray<Finding> => {
  const [source, target] = [describedNodes.get(edge.source), describedNodes.get(edge.target)]
  const gives = source === undefined ? undefined : outputsOf(source)
  const takes = target === undefined ? undefined : inputsOf(target)
  const at = { node: edge.source, field: `connections.${edge.from}` }
  if (edge.from !== edge.to && !(edge.from === "main" && edge.to === "main")) {
    const problem = `leads from ${edge.from} to ${edge.to} of node ${edge.target}`
    return [{ level: "error", ...at, problem, fix: "Both ends must be of one type" }]
  }
  const lacksOutput = gives !== undefined && !gives.includes(edge.from)
  const lacksInput = takes !== undefined && !takes.includes(edge.to)
  if (!lacksOutput && !lacksInput) return []
  const isSwapped =
    gives !== undefined &&
    takes !== undefined &&
    target !== undefined &&
    source !== undefined &&
    edge.from !== "main" &&
    outputsOf(target).includes(edge.from) &&
    inputsOf(source).includes(edge.from)
  if (isSwapped) {
    const problem = `leads the wrong way: ${edge.target} gives ${edge.from}, and ${edge.source} takes it`
    return [{ level: "error", ...at, problem, fix: `Connect ${edge.target} to ${edge.source}` }]
  }
  const shared = (gives ?? []).filter((type) => type !== "main" && (takes ?? []).includes(type))
  const fix = shared.length > 0 ? { fix: `Connect them by ${listed(shared)}` } : {}
  if (lacksOutput) {
    if (edge.from === "main" && source?.type.hasDynamicOutputs === true) return []
    // A node that continues after an error has an output.
    if (edge.from === "main" && goesOn(graph.nodes.get(edge.source))) return []
    const problem = `node ${edge.source} has no output ${edge.from}: it gives ${listed(gives ?? [])}`
    if (edge.from === "ai_tool" && source?.type.asTool === true) {
      return [{ level: "error", ...at, problem, fix: `Make it a tool: its type is then ${source.type.type}Tool` }]
    }
    return [{ level: "error", ...at, problem, ...fix }]
  }
  const isTriggerInput = edge.to === "main" && target?.type.isTrigger === true
  const problem = `node ${edge.target} has no input ${edge.to}: it takes ${listed(takes ?? [])}`
  return [{ level: isTriggerInput ? "warning" : "error", ...at, problem, ...fix }]
}

const uniqueTypes = (ports: ReadonlyArray<Port>) =>
  ports.filter((port, place) => ports.findIndex(({ type }) => type === port.type) === place)

const checkInputs = (
  name: string,
  { edges, nodes }: Graph,
  described: DescribedNode | undefined
): ReadonlyArray<Finding> => {
  if (described === undefined) return []
  const { settings, type } = described
  const coming = edges.filter(({ target, to }) => target === name && to !== "main")
  const ports = type.inputs.filter((port) => port.type !== "main" && isShown(port, settings))
  const isBlind =
    type.hasDynamicInputs === true &&
    needsModel.has(nodeKind(type.type)) &&
    ports.every((port) => port.required !== true) &&
    ports.some((port) => port.type === "ai_languageModel")
  const wanted = [
    ...new Set([
      ...ports.filter(({ required }) => required === true).map((port) => port.type),
      ...(isBlind ? ["ai_languageModel"] : [])
    ])
  ]
  const missing = wanted
    .filter((port) => !coming.some(({ source, to }) => to === port && nodes.has(source)))
    .map((port): Finding => ({
      level: "error",
      node: name,
      field: `connections.${port}`,
      problem: `nothing is connected to its input ${port}`,
      fix: `Connect ${partExamples.get(port) ?? "a node that gives it"}, with type ${port}`
    }))
  const single = needsModel.has(nodeKind(type.type)) ? ["ai_languageModel", "ai_memory"] : []
  const crowded = uniqueTypes(ports)
    .filter((port) => port.max === 1 || single.includes(port.type))
    .flatMap(({ type: port }): ReadonlyArray<Finding> => {
      const sources = coming.filter((edge) => edge.to === port && edge.input === 0).map(({ source }) => source)
      const problem = `its input ${port} takes one connection, and has those of ${sources.join(", ")}`
      return sources.length > 1 ? [{ level: "error", node: name, field: `connections.${port}`, problem }] : []
    })
  return [...missing, ...crowded, ...unusedParser(name, described, coming)]
}

/** An output parser is used only if the node says so. */
const unusedParser = (
  name: string,
  { settings, type }: DescribedNode,
  coming: ReadonlyArray<Edge>
): ReadonlyArray<Finding> => {
  const isAsked = type.properties.some((one) => one.name === asksParser && isShown(one, settings))
  if (!isAsked || objectOf(settings.values)[asksParser] !== false) return []
  return coming.some(({ to }) => to === "ai_outputParser")
    ? [
        {
          level: "warning",
          node: name,
          field: `parameters.${asksParser}`,
          problem: "an output parser is connected, and not used",
          fix: `Set ${asksParser} to true`
        }
      ]
    : []
}

const asksParser = "hasOutputParser"
