import { Predicate } from "effect"

import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { agentType, nodeType, toEngineType } from "./naming.ts"
import { kindOf } from "./triggers.ts"

/** Output names of kinds that always have the same. */
const fixed: Readonly<Record<string, ReadonlyArray<string>>> = {
  if: ["true", "false"],
  compareDatasets: ["in A only", "same", "different", "in B only"],
  removeDuplicates: ["kept", "discarded"],
  sentimentAnalysis: ["positive", "neutral", "negative"]
}

/** The names of a node's outputs as its editor shows them, as far as they have any. */
const namesOf = (node: JsonObject): ReadonlyArray<string> => {
  const kind = kindOf(node)
  const parameters = objectOf(node.parameters)
  if (kind === "switch") return switchOutputs(parameters)
  if (kind === "textClassifier") return classes(parameters)
  if (kind === "splitInBatches") return loopOutputs(node)
  if (kind === "removeDuplicates" && parameters.operation !== "removeItemsSeenInPreviousExecutions") return []
  return Object.hasOwn(fixed, kind) ? (fixed[kind] ?? []) : []
}

/** Before version 3 the first output led into the loop, and nothing was said of a second. */
const loopOutputs = ({ typeVersion }: JsonObject) =>
  Predicate.isNumber(typeVersion) && typeVersion < 3 ? ["loop", "done"] : ["done", "loop"]

const listIn = (holder: unknown, ...names: ReadonlyArray<string>): ReadonlyArray<JsonObject> => {
  const list = isJsonObject(holder) ? names.map((name) => holder[name]).find(Array.isArray) : undefined
  return Array.isArray(list) ? list.map((item: unknown) => objectOf(item)) : []
}

const switchOutputs = ({ options, rules }: JsonObject): ReadonlyArray<string> => {
  const rulesThere = listIn(rules, "values", "rules")
  const named = rulesThere.map(({ outputKey }, place) =>
    Predicate.isString(outputKey) && outputKey !== "" ? outputKey : `${place}`
  )
  const { fallbackOutput, renameFallbackOutput } = objectOf(options)
  if (fallbackOutput !== "extra") return named
  return [...named, Predicate.isString(renameFallbackOutput) ? renameFallbackOutput : "fallback"]
}

const classes = ({ categories, options }: JsonObject): ReadonlyArray<string> => {
  const named = listIn(categories, "categories").map(({ category }, place) =>
    Predicate.isString(category) ? category : `${place}`
  )
  return isJsonObject(options) && options.fallback === "other" ? [...named, "other"] : named
}

/** The names of the outputs of a node: `true`, `done`, `error`, a rule's name, a number; "" for the only one. */
export const outputNames = (node: JsonObject | undefined): ((index: number) => string) => {
  if (node === undefined) return (index) => (index === 0 ? "" : `${index}`)
  const names = namesOf(node)
  // The output for errors comes after all others.
  const errors = node.onError === "continueErrorOutput" ? Math.max(names.length, 1) : undefined
  return (index) => names[index] ?? (index === errors ? "error" : index === 0 && names.length === 0 ? "" : `${index}`)
}

/** The name of one of them. */
export const outputName = (node: JsonObject | undefined, index: number): string => outputNames(node)(index)

/** The connections from parts of AI nodes to the node that they belong to, by the beginnings of their types. */
const beginnings: ReadonlyArray<readonly [kind: RegExp, link: string]> = [
  [/^(?:lm[A-Z]|modelSelector$)/, "ai_languageModel"],
  [/^memory(?!Manager$|ChatRetriever$)/, "ai_memory"],
  [/^(?:tool(?!Executor$)|mcpClientTool$|agentTool$)/, "ai_tool"],
  [/^outputParser/, "ai_outputParser"],
  [/^embeddings/, "ai_embedding"],
  [/^textSplitter/, "ai_textSplitter"],
  [/^document/, "ai_document"],
  [/^retriever/, "ai_retriever"],
  [/^reranker/, "ai_reranker"]
]

/** The type of connection that begins at a node of this type, where it is no main one: `ai_tool`. */
export const aiLinkOf = (type: string): string | undefined => {
  const full = toEngineType(type)
  const [parts, base] = [agentType(""), nodeType("")]
  if (full.startsWith(base)) return /[a-z]Tool$/.test(full) ? "ai_tool" : undefined
  if (!full.startsWith(parts)) return undefined
  const kind = full.slice(parts.length)
  return beginnings.find(([beginning]) => beginning.test(kind))?.[1]
}
