import { Predicate } from "effect"

import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { nameOf } from "../../workflow/models.ts"
import { agentType, nodeType, shortType, toEngineType } from "../../workflow/naming.ts"
import { subWorkflowOf } from "../../workflow/subWorkflows.ts"
import { summaryOf } from "../../workflow/summary.ts"
import { isEnabled, kindOf } from "../../workflow/triggers.ts"
import { leavesOf } from "../../workflow/valuePaths.ts"

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

/** Node types that only work on the items they get. Any other node may have side effects. */
const inert: ReadonlySet<string> = new Set([
  ...words(`
    aggregate code compareDatasets convertToFile crypto dateTime debugHelper editImage executionData extractFromFile
    filter function functionItem html htmlExtract if itemLists jwt limit markdown merge moveBinaryData noOp renameKeys
    respondToWebhook set simulate sort splitInBatches splitOut stickyNote stopAndError summarize switch totp wait xml
  `).map(nodeType),
  ...words(`
    agent agentTool chainLlm chainRetrievalQa chainSummarization code documentDefaultDataLoader
    documentJsonInputLoader informationExtractor memoryBufferWindow memoryManager outputParserAutofixing
    outputParserItemList outputParserStructured sentimentAnalysis textClassifier textSplitterCharacterTextSplitter
    textSplitterRecursiveCharacterTextSplitter textSplitterTokenSplitter toolCalculator toolCode toolThink
  `).map(agentType)
])

/** Marks of code, in any language, that may reach beyond its items. */
const reaching = /\b(?:helpers|require|import|fetch|process|httpRequest|__import__|open)\b/

/** A node that acts outside the workflow when it runs. */
export interface SideEffect {
  readonly node: string
  readonly type: string
  /** In a few words, without secrets. */
  readonly does?: string
  readonly credentials?: ReadonlyArray<string>
}

/** What nodes will do outside the workflow: with credentials, over the network, in other workflows, on the engine's disk. */
export const sideEffectsOf = (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<SideEffect> =>
  nodes.filter((node) => isEnabled(node) && hasSideEffects(node)).map(told)

const hasSideEffects = (node: JsonObject): boolean =>
  !inert.has(toEngineType(String(node.type))) || credentialsOf(node).length > 0 || reachesOut(node)

const reachesOut = (node: JsonObject): boolean =>
  isProgram(node) && leavesOf(node.parameters).some(({ text }) => reaching.test(text))

const isProgram = (node: JsonObject): boolean => ["code", "function", "functionItem", "toolCode"].includes(kindOf(node))

const credentialsOf = ({ credentials }: JsonObject): ReadonlyArray<string> =>
  isJsonObject(credentials)
    ? Object.entries(credentials).map(([type, one]) =>
        isJsonObject(one) && Predicate.isString(one.name) ? one.name : type
      )
    : []

const told = (node: JsonObject): SideEffect => {
  const sub = subWorkflowOf(node)
  const does = sub === undefined ? summaryOf(node) : `runs workflow ${sub.name ?? sub.id}`
  const credentials = credentialsOf(node)
  return {
    node: nameOf(node),
    type: shortType(String(node.type)),
    ...(does === "" ? {} : { does }),
    ...(credentials.length === 0 ? {} : { credentials })
  }
}
