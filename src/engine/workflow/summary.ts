import { Predicate } from "effect"

import { clipped, listed, oneLine } from "../../internal/foreignText.ts"
import { beginningOf } from "../../internal/json/values.ts"
import { isJsonObject, type JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { maskSecrets } from "../../internal/secrets/maskSecrets.ts"
import { pathOf } from "./addresses.ts"
import { conditionsText, scheduleText, valueText } from "./parameterTexts.ts"
import { subWorkflowOf } from "./subWorkflows.ts"
import { kindOf } from "./triggers.ts"
import { leavesOf } from "./valuePaths.ts"

/** The work of a node in a few words without secrets: `POST /orders`, `GET https://a`, `total > 100`. */
export const summaryOf = (node: JsonObject, room = 110): string => {
  const parameters = objectOf(maskSecrets(beginningOf(objectOf(node.parameters))))
  const kind = kindOf(node)
  const describe = Object.hasOwn(byKind, kind)
    ? byKind[kind]
    : byPrefix.find(([prefix]) => kind.startsWith(prefix))?.[1]
  const words = (describe ?? plainWords)(parameters, { ...node, parameters }, objectOf(node.parameters))
  return clipped(oneLine(words), room)
}

/** Says what a node does, by the beginnings of its parameters without secrets; `whole` are all of them as they are. */
type Describe = (parameters: JsonObject, node: JsonObject, whole: JsonObject) => string

const joined = (...parts: ReadonlyArray<string | undefined>) =>
  parts.filter((part) => part !== undefined && part !== "").join(" ")

const quoted = (text: string, size = 60) => (text === "" ? "" : `"${clipped(text, size)}"`)

/** Names that a summary has. */
const mostNamed = 6

const itemsIn = (holder: unknown, ...names: ReadonlyArray<string>): ReadonlyArray<JsonObject> => {
  const list = isJsonObject(holder) ? names.map((name) => holder[name]).find(Array.isArray) : undefined
  return objectsOf(list)
}

const namesIn = (holder: unknown, ...names: ReadonlyArray<string>) =>
  itemsIn(holder, ...names).map(({ field, fieldName, fieldToAggregate, name }) =>
    valueText(name ?? fieldToAggregate ?? fieldName ?? field)
  )

const request: Describe = ({ method, requestMethod, url }) =>
  joined(valueText(method ?? requestMethod) || "GET", valueText(url))

const webhook: Describe = ({ httpMethod, responseMode }, node) => {
  const methods = (Array.isArray(httpMethod) ? httpMethod : [httpMethod ?? "GET"]).map(valueText).join("|")
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

const code: Describe = (parameters, _node, whole) => {
  const lines = sourceIn(whole).split("\n").length
  const language = isPython(parameters) ? "python:" : ""
  return joined(language, firstLine(sourceIn(parameters)), lines > 1 ? `(${lines} lines)` : "")
}

const isPython = ({ language }: JsonObject) => Predicate.isString(language) && language.startsWith("python")

const sourceIn = (parameters: JsonObject): string =>
  [isPython(parameters) ? parameters.pythonCode : parameters.jsCode, parameters.functionCode].find(
    Predicate.isString
  ) ?? ""

const set: Describe = ({ assignments, fields, jsonOutput, mode, values }) => {
  if (mode === "raw") return `JSON ${valueText(jsonOutput)}`
  const old = isJsonObject(values) ? Object.keys(values).flatMap((type) => namesIn(values, type)) : []
  const names = [...namesIn(assignments, "assignments"), ...namesIn(fields, "values"), ...old]
  const [only, ...others] = itemsIn(assignments, "assignments")
  if (only !== undefined && others.length === 0) return `${valueText(only.name)} = ${valueText(only.value)}`
  return names.length === 0 ? "" : `sets ${listed(names, mostNamed)}`
}

const branch: Describe = ({ combineOperation, conditions }) => conditionsText(conditions, combineOperation)

const switchRules: Describe = ({ mode, output, rules, value1 }) => {
  if (mode === "expression") return `output ${valueText(output)}`
  const words = itemsIn(rules, "values", "rules").map((rule) =>
    isJsonObject(rule.conditions)
      ? conditionsText(rule.conditions)
      : `${valueText(value1)} ${valueText(rule.operation)} ${valueText(rule.value2)}`
  )
  return words.filter((one) => one.trim() !== "").join(" | ")
}

const subWorkflow: Describe = (parameters, node) => {
  const called = subWorkflowOf(node)
  if (called !== undefined) return called.name === undefined ? called.id : quoted(called.name)
  return joined(valueText(parameters.source), valueText(parameters.workflowId))
}

const prompt: Describe = ({ messages, options, text }) => {
  const system = isJsonObject(options) ? valueText(options.systemMessage) : ""
  const [message] = itemsIn(messages, "messageValues", "values")
  const userPrompt = valueText(text) || valueText(message?.message ?? message?.content)
  return joined(quoted(userPrompt), system === "" ? "" : `system: ${quoted(system)}`)
}

const model: Describe = ({ model, modelId, modelName }) => valueText(model ?? modelId ?? modelName)

const wait: Describe = ({ amount, resume, unit }) => {
  if (resume === "webhook" || resume === "form") return `until its ${resume} is called`
  if (resume === "specificTime") return "until a given time"
  return `${valueText(amount) || "1"} ${valueText(unit) || "hours"}`
}

const respond: Describe = ({ options, respondWith, responseBody }) => {
  const status = isJsonObject(options) ? valueText(options.responseCode) : ""
  return joined(status, valueText(respondWith) || "firstIncomingItem", quoted(valueText(responseBody)))
}

const tool: Describe = (parameters, node, whole) =>
  joined(quoted(valueText(parameters.description ?? parameters.toolDescription)), plainWords(parameters, node, whole))

/** Kinds whose parameters say more than their operation. */
const byKind: Readonly<Record<string, Describe>> = {
  webhook,
  httpRequest: request,
  httpRequestTool: request,
  toolHttpRequest: request,
  formTrigger: ({ formTitle }, node) => joined(quoted(valueText(formTitle)), `/${pathOf(node) ?? ""}`),
  chatTrigger: ({ public: isPublic }) => (isPublic === true ? "public chat" : "chat in the editor"),
  scheduleTrigger: (parameters) => scheduleText(parameters),
  cron: (parameters) => scheduleText(parameters),
  interval: ({ interval, unit }) => `every ${valueText(interval) || "1"} ${valueText(unit) || "seconds"}`,
  manualTrigger: () => "",
  errorTrigger: () => "when a workflow fails that names this one",
  executeWorkflowTrigger: ({ workflowInputs }) =>
    joined("called by other workflows", inBrackets(namesIn(workflowInputs, "values"))),
  code,
  function: code,
  functionItem: code,
  toolCode: (parameters, node, whole) =>
    joined(quoted(valueText(parameters.description)), code(parameters, node, whole)),
  set,
  if: branch,
  filter: branch,
  switch: switchRules,
  merge: ({ combineBy, mode }) => joined(valueText(mode) || "append", valueText(combineBy)),
  splitInBatches: ({ batchSize }) => `batches of ${valueText(batchSize) || "1"}`,
  splitOut: ({ fieldToSplitOut }) => valueText(fieldToSplitOut),
  aggregate: ({ aggregate, fieldsToAggregate }) =>
    aggregate === "aggregateAllItemData"
      ? "all items into one"
      : listed(namesIn(fieldsToAggregate, "fieldToAggregate"), mostNamed),
  limit: ({ keep, maxItems }) => joined(keep === "lastItems" ? "last" : "first", valueText(maxItems) || "1"),
  sort: ({ sortFieldsUi }) => listed(namesIn(sortFieldsUi, "sortField"), mostNamed),
  wait,
  noOp: () => "",
  stopAndError: ({ errorMessage, errorObject }) => quoted(valueText(errorMessage ?? errorObject)),
  respondToWebhook: respond,
  executeWorkflow: subWorkflow,
  toolWorkflow: (parameters, node, whole) =>
    joined(subWorkflow(parameters, node, whole), quoted(valueText(parameters.description))),
  stickyNote: ({ content }) => quoted(valueText(content), 100),
  agent: prompt,
  chainLlm: prompt,
  emailSend: ({ subject, toEmail }) => joined(toEmail ? `to ${valueText(toEmail)}` : "", quoted(valueText(subject)))
}

const inBrackets = (names: ReadonlyArray<string>) => (names.length === 0 ? "" : `(${listed(names, mostNamed)})`)

const byPrefix: ReadonlyArray<readonly [prefix: string, describe: Describe]> = [
  ["lmChat", model],
  ["lm", model],
  ["embeddings", model],
  ["tool", tool]
]

/** Parameters that distinguish one use of a node from another, the best first. */
const telling = (
  "channelId channel chatId sendTo toEmail to user table tableId tableName documentId sheetName base database collection " +
  "index query sqlQuery bucketName key topic queue url path filePath fileName fileId folderId subject title summary name " +
  "text message messageText content model projectId repository owner id command"
).split(" ")

/** Parameters that hold people's own words. */
const free = new Set(["query", "sqlQuery", "subject", "title", "summary", "text", "message", "messageText", "content"])

/** Resource and operation, and the parameters that distinguish this use; where there are none, the first parameters. */
const plainWords: Describe = (parameters) => {
  const { operation, resource } = parameters
  const done = joined(valueText(resource), valueText(operation))
  const details = telling
    .flatMap((name) => {
      const words = Object.hasOwn(parameters, name) ? valueText(parameters[name]) : ""
      return words === "" ? [] : [words.length <= 40 && !free.has(name) ? words : quoted(words, 40)]
    })
    .slice(0, 2)
  if (done !== "" || details.length > 0) return joined(done, ...details)
  return leavesOf(parameters)
    .filter(({ text }) => text !== "")
    .slice(0, 2)
    .map(({ field, text }) => `${field}: ${quoted(valueText(text), 40)}`)
    .join(", ")
}
