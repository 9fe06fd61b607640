import { Predicate, Result } from "effect"

import { listed, oneLine, quotedName } from "../../../internal/foreignText.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { wordsIn } from "../../../internal/texts.ts"
import type { Parse } from "../../nodes/check/javaScript.ts"
import { shortValue } from "../../workflow/differenceOfValues.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { agentType, nodeType, shortType, toEngineType } from "../../workflow/naming.ts"
import { subWorkflowOf } from "../../workflow/subWorkflows.ts"
import { summaryOf } from "../../workflow/summary.ts"
import { isEnabled, kindOf } from "../../workflow/triggers.ts"
import { edgesOf } from "../../workflow/wires.ts"
import { always, type Mocks } from "./mocks.ts"
import { type Part, partOf, runningOf } from "./Part.ts"
import { type Reach, reachOf } from "./reach.ts"

/** Node types that only work on the items they get. Any other node may have side effects. */
const inert: ReadonlySet<string> = new Set([
  ...wordsIn(`
    aggregate code compareDatasets convertToFile crypto dateTime debugHelper editImage executionData extractFromFile
    filter function functionItem html htmlExtract if itemLists jwt limit markdown merge moveBinaryData noOp renameKeys
    respondToWebhook set simulate sort splitInBatches splitOut stickyNote stopAndError summarize switch totp wait xml
  `).map(nodeType),
  ...wordsIn(`
    agent agentTool chainLlm chainRetrievalQa chainSummarization code documentDefaultDataLoader
    documentJsonInputLoader informationExtractor memoryBufferWindow memoryManager outputParserAutofixing
    outputParserItemList outputParserStructured sentimentAnalysis textClassifier textSplitterCharacterTextSplitter
    textSplitterRecursiveCharacterTextSplitter textSplitterTokenSplitter toolCalculator toolCode toolThink
  `).map(agentType)
])

/** A node that acts outside the workflow when it runs. */
export interface SideEffect {
  readonly node: string
  readonly type: string
  /** In a few words, without secrets. */
  readonly does?: string
  /** The use in its code that may reach outside, with the line. */
  readonly why?: string
  readonly credentials?: ReadonlyArray<string>
}

/**
 * The side effects of nodes outside the workflow: with credentials, over the network, in other workflows, on the engine's
 * disk.
 */
export const sideEffectsOf = (nodes: ReadonlyArray<JsonObject>, parse: Parse): ReadonlyArray<SideEffect> =>
  nodes.filter(isEnabled).flatMap((node) => {
    const reach = reachOf(node, parse)
    return reach !== undefined || hasSideEffects(node) ? [sideEffectOf(node, reach)] : []
  })

const hasSideEffects = (node: JsonObject): boolean =>
  !(inert.has(toEngineType(String(node.type))) || readsTable(node) || comparesItems(node)) ||
  credentialsOf(node).length > 0

const tableReads = new Set(["row get", "row rowExists", "row rowNotExists", "table list"])

/** Whether a node only reads a data table, which the engine keeps. */
const readsTable = (node: JsonObject): boolean => {
  const { operation, resource = "row" } = objectOf(node.parameters)
  const isTable = ["dataTable", "dataTableTool"].some((kind) => toEngineType(String(node.type)) === nodeType(kind))
  return isTable && tableReads.has(`${String(resource)} ${String(operation)}`)
}

/** Whether a node removes duplicates among the items that it gets; its other operations keep them for later runs. */
const comparesItems = ({ parameters, type }: JsonObject): boolean =>
  toEngineType(String(type)) === nodeType("removeDuplicates") &&
  (objectOf(parameters).operation ?? "removeDuplicateInputItems") === "removeDuplicateInputItems"

/** Whether a node only asks a service for something: a request by GET without a body. */
export const onlyAsks = (node: JsonObject): boolean => {
  const { method, requestMethod, sendBody = false } = objectOf(node.parameters)
  return kindOf(node) === "httpRequest" && (method ?? requestMethod ?? "GET") === "GET" && sendBody === false
}

const credentialsOf = ({ credentials }: JsonObject): ReadonlyArray<string> =>
  isJsonObject(credentials)
    ? Object.entries(credentials).map(([type, one]) =>
        isJsonObject(one) && Predicate.isString(one.name) ? one.name : type
      )
    : []

const sideEffectOf = (node: JsonObject, reach: Reach | undefined): SideEffect => {
  const sub = subWorkflowOf(node)
  const does = sub === undefined ? summaryOf(node) : `runs workflow ${sub.name ?? sub.id}`
  const credentials = credentialsOf(node)
  return {
    node: nameOf(node),
    type: shortType(String(node.type)),
    ...(does === "" ? {} : { does }),
    ...(reach === undefined ? {} : { why: inWords(reach) }),
    ...(credentials.length === 0 ? {} : { credentials })
  }
}

const inWords = ({ field, line, use }: Reach) => `${field}${line === undefined ? "" : `, line ${line}`}: ${use}`

/** Nodes that a question names one by one, credentials of one, and characters of its parameters and of the items. */
const mostNamed = 20
const mostCredentials = 5
const longest = 400

/** The content of a question about a run. */
interface RunQuestion {
  readonly nodes: ReadonlyArray<JsonObject>
  readonly outside: ReadonlyArray<SideEffect>
  readonly items: ReadonlyArray<JsonObject>
}

/** The question about a run: the nodes that act outside, their parameters, and the first items; secrets are masked. */
export const runQuestion = (first: string, { items, nodes, outside }: RunQuestion): string => {
  const settings = new Map(nodes.map((node) => [nameOf(node), objectOf(node.parameters)]))
  const rows = outside.slice(0, mostNamed).flatMap(({ credentials = [], does = "", node, type, why = "" }) => {
    const used = credentials.length === 0 ? "" : `with ${listed(credentials.map(quotedName), mostCredentials)}`
    const set = settings.get(node) ?? {}
    return [
      [`- ${quotedName(node)} [${oneLine(type)}]`, oneLine(does), why === "" ? "" : `(${oneLine(why)})`, used]
        .filter((part) => part !== "")
        .join(" "),
      ...(Object.keys(set).length === 0 ? [] : [`  set to ${shortValue(set, "", longest)}`])
    ]
  })
  const rest = outside.length > mostNamed ? [`- and ${outside.length - mostNamed} more`] : []
  const input = `It begins with ${items.length === 1 ? "1 item" : `${items.length} items`}: ${shortValue(items, "", longest)}`
  return [`${first} These nodes really act outside:`, ...rows, ...rest, input].join("\n")
}

/** The part of a workflow that a test runs, and the names of its nodes that have to be mocked. */
export interface NodesToMock {
  readonly part: Part
  readonly names: ReadonlyArray<string>
}

/**
 * The nodes that must not run in a test: those that act outside, those whose model, memory or tool does, and those that
 * wait. What only such nodes need does not run either.
 */
export const nodesToMock = (workflow: Workflow, from: string, parse: Parse): Result.Result<NodesToMock, string> =>
  Result.gen(function* () {
    const acting = new Set(sideEffectsOf(workflow.nodes, parse).map(({ node }) => node))
    const names = new Set<string>()
    for (;;) {
      const mocks: Mocks = new Map([...names].map((name) => [name, always([])]))
      const part = yield* Result.mapError(partOf(workflow, mocks, { from }), ({ problem }) => problem)
      const running = runningOf(part, mocks)
      const wanted = [
        ...running.map(nameOf).filter((name) => acting.has(name)),
        ...running.filter((node) => kindOf(node) === "wait").map(nameOf)
      ].flatMap((name) => mainNodesServedBy(workflow, name))
      const before = names.size
      for (const name of wanted) names.add(name)
      if (names.size === before) {
        return { part, names: part.nodes.map(nameOf).filter((name) => names.has(name)) }
      }
    }
  })

/**
 * The nodes of the main flow that a sub-node belongs to, directly or through other sub-nodes; a node of the main flow
 * itself.
 */
const mainNodesServedBy = (workflow: Workflow, name: string): ReadonlyArray<string> => {
  const edges = edgesOf(workflow.connections).filter(({ type }) => type !== "main")
  const open = new Set([name])
  for (const one of open) for (const { source, target } of edges) if (source === one) open.add(target)
  return [...open].filter((one) => !edges.some(({ source }) => source === one))
}
