import { Predicate } from "effect"

import { clipped, listed, oneLine } from "../../internal/foreignText.ts"
import { beginningOf } from "../../internal/json/beginningOf.ts"
import { isJsonObject, type JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { maskSecrets } from "../../internal/secrets/maskSecrets.ts"
import { conditionsWords, valueWords } from "./conditionWords.ts"
import { leavesOf } from "./leaves.ts"
import { pathOf } from "./listeningPaths.ts"
import { scheduleWords } from "./scheduleWords.ts"
import { subWorkflowOf } from "./subWorkflows.ts"
import { kindOf } from "./triggers.ts"

/** What a node does, in a few words without secrets: `POST /orders`, `GET https://a`, `total > 100`. */
export const summaryOf = (node: JsonObject, room = 110): string => {
  const parameters = objectOf(maskSecrets(beginningOf(objectOf(node.parameters))))
  const kind = kindOf(node)
  const say = Object.hasOwn(byKind, kind) ? byKind[kind] : byPrefix.find(([prefix]) => kind.startsWith(prefix))?.[1]
  const words = (say ?? plainWords)(parameters, { ...node, parameters }, objectOf(node.parameters))
  return clipped(oneLine(words), room)
}

/** What a node does, by the beginnings of its parameters without secrets; `whole` are all of them as they are. */
type Say = (parameters: JsonObject, node: JsonObject, whole: JsonObject) => string

const joined = (...parts: ReadonlyArray<string | undefined>) =>
  parts.filter((part) => part !== undefined && part !== "").join(" ")

const quoted = (text: string, size = 60) => (text === "" ? "" : `"${clipped(text, size)}"`)

/** Names that a summary has. */
const mostNamed = 6

const itemsIn = (holder: unknown, ...names: ReadonlyArray<string>): ReadonlyArray<JsonObject> => {
  const found = isJsonObject(holder) ? names.map((name) => holder[name]).find(Array.isArray) : undefined
  return objectsOf(found)
}

const namesIn = (holder: unknown, ...names: ReadonlyArray<string>) =>
  itemsIn(holder, ...names).map(({ field, fieldName, fieldToAggregate, name }) =>
    valueWords(name ?? fieldToAggregate ?? fieldName ?? field)
  )

const request: Say = ({ method, requestMethod, url }) =>
  joined(valueWords(method ?? requestMethod) || "GET", valueWords(url))

const webhook: Say = ({ httpMethod, responseMode }, node) => {
  const methods = (Array.isArray(httpMethod) ? httpMethod : [httpMethod ?? "GET"]).map(valueWords).join("|")
  const answers: Readonly<Record<string, string>> = {
    lastNode: ", answers with the last node",
    responseNode: ", answered by a respond node"
  }
  const mode = Predicate.isString(responseMode) && Object.hasOwn(answers, responseMode) ? answers[responseMode] : ""
  return `${methods} /${(pathOf(node) ?? "").replace(/^\/+/, "")}${mode}`
}

const firstLine = (code: unknown): string =>
  Predicate.isString(code)
    ? (code
        .split("\n")
        .map((line) => line.trim())
        .find((line) => line !== "") ?? "")
    : ""

const code: Say = (parameters, _node, whole) => {
  const lines = sourceIn(whole).split("\n").length
  const language = isPython(parameters) ? "python:" : ""
  return joined(language, firstLine(sourceIn(parameters)), lines > 1 ? `(${lines} lines)` : "")
}

const isPython = ({ language }: JsonObject) => Predicate.isString(language) && language.startsWith("python")

const sourceIn = (parameters: JsonObject): string =>
  [isPython(parameters) ? parameters.pythonCode : parameters.jsCode, parameters.functionCode].find(
    Predicate.isString
  ) ?? ""

const set: Say = ({ assignments, fields, jsonOutput, mode, values }) => {
  if (mode === "raw") return `JSON ${valueWords(jsonOutput)}`
  const old = isJsonObject(values) ? Object.keys(values).flatMap((type) => namesIn(values, type)) : []
  const names = [...namesIn(assignments, "assignments"), ...namesIn(fields, "values"), ...old]
  const [only, ...others] = itemsIn(assignments, "assignments")
  if (only !== undefined && others.length === 0) return `${valueWords(only.name)} = ${valueWords(only.value)}`
  return names.length === 0 ? "" : `sets ${listed(names, mostNamed)}`
}

const branch: Say = ({ combineOperation, conditions }) => conditionsWords(conditions, combineOperation)

const switchRules: Say = ({ mode, output, rules, value1 }) => {
  if (mode === "expression") return `output ${valueWords(output)}`
  const words = itemsIn(rules, "values", "rules").map((rule) =>
    isJsonObject(rule.conditions)
      ? conditionsWords(rule.conditions)
      : `${valueWords(value1)} ${valueWords(rule.operation)} ${valueWords(rule.value2)}`
  )
  return words.filter((one) => one.trim() !== "").join(" | ")
}

const subWorkflow: Say = (parameters, node) => {
  const found = subWorkflowOf(node)
  if (found !== undefined) return found.name === undefined ? found.id : quoted(found.name)
  return joined(valueWords(parameters.source), valueWords(parameters.workflowId))
}

const prompt: Say = ({ messages, options, promptType, text }) => {
  const system = isJsonObject(options) ? valueWords(options.systemMessage) : ""
  const [message] = itemsIn(messages, "messageValues", "values")
  const own = valueWords(text) || valueWords(message?.message ?? message?.content)
  return joined(quoted(own || (promptType === "auto" ? "" : "")), system === "" ? "" : `system: ${quoted(system)}`)
}

const model: Say = ({ model, modelId, modelName }) => valueWords(model ?? modelId ?? modelName)

const wait: Say = ({ amount, resume, unit }) => {
  if (resume === "webhook" || resume === "form") return `until its ${resume} is called`
  if (resume === "specificTime") return "until a given time"
  return `${valueWords(amount) || "1"} ${valueWords(unit) || "hours"}`
}

const respond: Say = ({ options, respondWith, responseBody }) => {
  const status = isJsonObject(options) ? valueWords(options.responseCode) : ""
  return joined(status, valueWords(respondWith) || "firstIncomingItem", quoted(valueWords(responseBody)))
}

const tool: Say = (parameters, node, whole) =>
  joined(quoted(valueWords(parameters.description ?? parameters.toolDescription)), plainWords(parameters, node, whole))

/** Kinds whose parameters say more than their operation. */
const byKind: Readonly<Record<string, Say>> = {
  webhook,
  httpRequest: request,
  httpRequestTool: request,
  toolHttpRequest: request,
  formTrigger: ({ formTitle }, node) => joined(quoted(valueWords(formTitle)), `/${pathOf(node) ?? ""}`),
  chatTrigger: ({ public: isPublic }) => (isPublic === true ? "public chat" : "chat in the editor"),
  scheduleTrigger: (parameters) => scheduleWords(parameters),
  cron: (parameters) => scheduleWords(parameters),
  interval: ({ interval, unit }) => `every ${valueWords(interval) || "1"} ${valueWords(unit) || "seconds"}`,
  manualTrigger: () => "",
  errorTrigger: () => "when a workflow fails that names this one",
  executeWorkflowTrigger: ({ workflowInputs }) =>
    joined("called by other workflows", inBrackets(namesIn(workflowInputs, "values"))),
  code,
  function: code,
  functionItem: code,
  toolCode: (parameters, node, whole) =>
    joined(quoted(valueWords(parameters.description)), code(parameters, node, whole)),
  set,
  if: branch,
  filter: branch,
  switch: switchRules,
  merge: ({ combineBy, mode }) => joined(valueWords(mode) || "append", valueWords(combineBy)),
  splitInBatches: ({ batchSize }) => `batches of ${valueWords(batchSize) || "1"}`,
  splitOut: ({ fieldToSplitOut }) => valueWords(fieldToSplitOut),
  aggregate: ({ aggregate, fieldsToAggregate }) =>
    aggregate === "aggregateAllItemData"
      ? "all items into one"
      : listed(namesIn(fieldsToAggregate, "fieldToAggregate"), mostNamed),
  limit: ({ keep, maxItems }) => joined(keep === "lastItems" ? "last" : "first", valueWords(maxItems) || "1"),
  sort: ({ sortFieldsUi }) => listed(namesIn(sortFieldsUi, "sortField"), mostNamed),
  wait,
  noOp: () => "",
  stopAndError: ({ errorMessage, errorObject }) => quoted(valueWords(errorMessage ?? errorObject)),
  respondToWebhook: respond,
  executeWorkflow: subWorkflow,
  toolWorkflow: (parameters, node, whole) =>
    joined(subWorkflow(parameters, node, whole), quoted(valueWords(parameters.description))),
  stickyNote: ({ content }) => quoted(valueWords(content), 100),
  agent: prompt,
  chainLlm: prompt,
  emailSend: ({ subject, toEmail }) => joined(toEmail ? `to ${valueWords(toEmail)}` : "", quoted(valueWords(subject)))
}

const inBrackets = (names: ReadonlyArray<string>) => (names.length === 0 ? "" : `(${listed(names, mostNamed)})`)

const byPrefix: ReadonlyArray<readonly [prefix: string, say: Say]> = [
  ["lmChat", model],
  ["lm", model],
  ["embeddings", model],
  ["tool", tool]
]

/** What tells one use of a node from another, the best first. */
const telling = (
  "channelId channel chatId sendTo toEmail to user table tableId tableName documentId sheetName base database collection " +
  "index query sqlQuery bucketName key topic queue url path filePath fileName fileId folderId subject title summary name " +
  "text message messageText content model projectId repository owner id command"
).split(" ")

/** Parameters that hold people's own words. */
const free = new Set(["query", "sqlQuery", "subject", "title", "summary", "text", "message", "messageText", "content"])

/** Resource and operation, and what tells this use from others; where nothing is known, the first parameters. */
const plainWords: Say = (parameters) => {
  const { operation, resource } = parameters
  const done = joined(valueWords(resource), valueWords(operation))
  const details = telling
    .flatMap((name) => {
      const words = Object.hasOwn(parameters, name) ? valueWords(parameters[name]) : ""
      return words === "" ? [] : [words.length <= 40 && !free.has(name) ? words : quoted(words, 40)]
    })
    .slice(0, 2)
  if (done !== "" || details.length > 0) return joined(done, ...details)
  return leavesOf(parameters)
    .filter(({ text }) => text !== "")
    .slice(0, 2)
    .map(({ field, text }) => `${field}: ${quoted(valueWords(text), 40)}`)
    .join(", ")
}
