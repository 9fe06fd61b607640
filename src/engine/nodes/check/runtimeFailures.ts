import { Option, Predicate } from "effect"

import { parseJson } from "../../../internal/json/values.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { nameOf } from "../../workflow/models.ts"
import { isEnabled, kindOf } from "../../workflow/triggers.ts"
import { type Finding, quoted } from "./Finding.ts"
import { json } from "./shapes.ts"

/** Errors that only occur at run time and that the description of the node type does not show. */
export const checkRuntimeFailures = (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<Finding> =>
  nodes.filter(isEnabled).flatMap((node) => {
    const parameters = objectOf(node.parameters)
    const kind = kindOf(node)
    const found =
      kind === "httpRequest" || kind === "httpRequestTool" ? unreadable(parameters) : nothingNamed(kind, parameters)
    return found.map((one): Finding => ({ level: "error", node: nameOf(node), ...one }))
  })

type Found = Pick<Finding, "field" | "problem" | "fix">

/** A text sent as JSON, and the parameter that says so. */
const sentAsJson = [
  { text: "jsonBody", sends: "sendBody", how: "specifyBody" },
  { text: "jsonQuery", sends: "sendQuery", how: "specifyQuery" },
  { text: "jsonHeaders", sends: "sendHeaders", how: "specifyHeaders" }
]

const unreadable = (parameters: JsonObject): ReadonlyArray<Found> =>
  sentAsJson.flatMap(({ how, sends, text }) => {
    const value = parameters[text]
    if (parameters[sends] !== true || parameters[how] !== "json") return []
    if (!Predicate.isString(value) || value.trim() === "" || value.startsWith("=") || value.includes("{{")) return []
    // Text that no node can parse is reported for every node.
    if (json(value).length > 0) return []
    if (parameters.contentType !== undefined && parameters.contentType !== "json" && text === "jsonBody") return []
    if (Option.isSome(parseJson(value))) return []
    const fix = 'Names and texts stand in double quotes, and nothing stands behind the last comma: {"a": "b"}'
    return [{ field: `parameters.${text}`, problem: `is no JSON: ${quoted(value)}`, fix }]
  })

const nothingNamed = (kind: string, parameters: JsonObject): ReadonlyArray<Found> => {
  if (kind === "sort" && (parameters.type ?? "simple") === "simple" && isEmpty(parameters.sortFieldsUi, "sortField")) {
    const fix = 'Name one: {"sortField": [{"fieldName": "…", "order": "ascending"}]}'
    return [{ field: "parameters.sortFieldsUi", problem: "names no field to sort by", fix }]
  }
  if (kind === "summarize" && isEmpty(parameters.fieldsToSummarize, "values")) {
    const fix = 'Name one: {"values": [{"aggregation": "sum", "field": "…"}]}'
    return [{ field: "parameters.fieldsToSummarize", problem: "names no field to summarize", fix }]
  }
  return []
}

const isEmpty = (value: unknown, list: string): boolean => {
  if (value === undefined || value === null) return true
  if (!isJsonObject(value)) return false
  const rows = value[list]
  return rows === undefined || (Array.isArray(rows) && rows.length === 0)
}
