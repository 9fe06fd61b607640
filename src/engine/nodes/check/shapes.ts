import { Option, Predicate } from "effect"

import { parseJson } from "../../../internal/json/values.ts"
import { isJsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { isExpression } from "../conditions.ts"
import type { Property } from "../NodeType.ts"
import { type Finding, quoted } from "./Finding.ts"

/** A finding inside a value; `at` is the path in it, such as `.conditions[0].operator`. */
interface Inside extends Omit<Finding, "node" | "field"> {
  readonly at: string
}

const error = (at: string, problem: string, fix: string): Inside => ({ level: "error", at, problem, fix })

/** Findings about a value whose structure no description contains. Expressions are never passed here. */
export const checkShape = (
  { modes = [], needsMatch = false, type }: Property,
  value: unknown
): ReadonlyArray<Inside> => {
  if (type === "filter") return filter(value)
  if (type === "assignmentCollection") return assignments(value)
  if (type === "resourceLocator") return locator(value, modes)
  if (type === "resourceMapper") return mapper(value, needsMatch)
  if (type === "json") return json(value)
  // Some nodes accept lists of strings instead of a form.
  const isText = !Predicate.isObjectOrArray(value) || isEmpty(value) || isTexts(value)
  return type === "string" && !isText ? [error("", `is ${quoted(value)}`, "It must be text")] : []
}

const isTexts = (value: unknown) => Array.isArray(value) && value.every(Predicate.isString)

const isEmpty = (value: unknown) => !Predicate.isObjectOrArray(value) || Object.keys(value).length === 0

/** The operations of conditions by data type, the same on every engine. */
const operations: ReadonlyMap<string, string> = new Map([
  ["string", "equals notEquals contains notContains startsWith notStartsWith endsWith notEndsWith regex notRegex"],
  ["number", "equals notEquals gt lt gte lte"],
  ["dateTime", "equals notEquals after before afterOrEquals beforeOrEquals"],
  ["boolean", "true false equals notEquals"],
  ["array", "contains notContains lengthEquals lengthNotEquals lengthGt lengthLt lengthGte lengthLte"],
  ["object", ""],
  ["any", "equals notEquals"]
])

const single = ["exists", "notExists", "empty", "notEmpty"]
const alone = new Set([...single, "true", "false"])

const conditionForm = "{leftValue, rightValue, operator: {type, operation}}"

const filter = (value: unknown): ReadonlyArray<Inside> => {
  if (!isJsonObject(value) || !(Array.isArray(value.conditions) || isEmpty(value))) {
    return [error("", `is ${quoted(value)}`, `It must be {conditions: [${conditionForm}], combinator, options}`)]
  }
  const { combinator, conditions } = value
  return [
    ...(combinator === undefined || combinator === "and" || combinator === "or" || isExpression(combinator)
      ? []
      : [error(".combinator", `is ${quoted(combinator)}`, "One of and, or")]),
    ...listOf(conditions).flatMap((one, index) => condition(one, `.conditions[${index}]`))
  ]
}

const condition = (given: unknown, at: string): ReadonlyArray<Inside> => {
  if (isExpression(given)) return []
  const { leftValue, operator, rightValue } = objectOf(given)
  if (isExpression(operator)) return []
  if (!isJsonObject(operator)) {
    const problem = operator === undefined ? `has no operator: it is ${quoted(given)}` : `is ${quoted(operator)}`
    return [error(operator === undefined ? at : `${at}.operator`, problem, `It must be ${conditionForm}`)]
  }
  const { operation, type } = operator
  if (isExpression(type) || isExpression(operation)) return []
  const names = Predicate.isString(type) ? operations.get(type) : undefined
  if (names === undefined) {
    return [error(`${at}.operator.type`, `is ${quoted(type)}`, `One of ${[...operations.keys()].join(", ")}`)]
  }
  const all = [...names.split(" "), ...single].filter((one) => one !== "")
  if (!Predicate.isString(operation) || !all.includes(operation)) {
    const guess = Predicate.isString(operation) ? nearest(operation, all) : undefined
    const fix = `${guess === undefined ? "" : `Did you mean ${guess}? `}For ${String(type)} one of ${all.join(", ")}`
    return [error(`${at}.operator.operation`, `is ${quoted(operation)}`, fix)]
  }
  if (leftValue === undefined) return [error(at, "has no leftValue", "Give what is compared")]
  const lacksRight = rightValue === undefined && !alone.has(operation) && operator.singleValue !== true
  return lacksRight ? [error(at, "has no rightValue", `Give what ${operation} compares with`)] : []
}

const assignmentTypes = [
  "string",
  "number",
  "boolean",
  "array",
  "object",
  "binary",
  "stringValue",
  "numberValue",
  "booleanValue",
  "arrayValue",
  "objectValue"
]

const assignments = (value: unknown): ReadonlyArray<Inside> => {
  if (!isJsonObject(value) || !(Array.isArray(value.assignments) || isEmpty(value))) {
    return [error("", `is ${quoted(value)}`, "It must be {assignments: [{id, name, type, value}]}")]
  }
  return listOf(value.assignments).flatMap((given, index) => {
    const at = `.assignments[${index}]`
    if (isExpression(given)) return []
    const { name, type, value: assigned } = objectOf(given)
    if (name === undefined) {
      return [error(at, `has no name: it is ${quoted(given)}`, "It must be {id, name, type, value}")]
    }
    if (isExpression(type) || isExpression(assigned) || type === undefined) return []
    if (!Predicate.isString(type) || !assignmentTypes.includes(type)) {
      return [error(`${at}.type`, `is ${quoted(type)}`, "One of string, number, boolean, array, object")]
    }
    const isWrongNumber = type === "number" && Predicate.isString(assigned) && !Number.isFinite(Number(assigned))
    const isWrongBoolean = type === "boolean" && Predicate.isString(assigned) && !/^(true|false|1|0|)$/i.test(assigned)
    if (!isWrongNumber && !isWrongBoolean) return []
    return [error(`${at}.value`, `is ${quoted(assigned)}`, `It must be a ${type}, or the type string`)]
  })
}

const locator = (value: unknown, modes: ReadonlyArray<string>): ReadonlyArray<Inside> => {
  if (!Predicate.isObjectOrArray(value)) return []
  const form = `{__rl: true, mode: ${modes.join(" or ") || "id"}, value}`
  if (!isJsonObject(value) || (value.__rl !== true && !isEmpty(value))) {
    return [error("", `is ${quoted(value)}`, `It must be ${form}`)]
  }
  const { mode } = value
  return Predicate.isString(mode) && mode !== "" && modes.length > 0 && !modes.includes(mode) && !isExpression(mode)
    ? [error("", `mode is ${quoted(mode)}`, `One of ${modes.join(", ")}`)]
    : []
}

const mapper = (value: unknown, needsMatch: boolean): ReadonlyArray<Inside> => {
  const form =
    "It must be {mappingMode: defineBelow or autoMapInputData, value: {column: value}, matchingColumns, schema}"
  if (!isJsonObject(value)) return isEmpty(value) && value === "" ? [] : [error("", `is ${quoted(value)}`, form)]
  const { mappingMode, matchingColumns, value: columns } = value
  if (isEmpty(value) || isExpression(mappingMode)) return []
  if (mappingMode !== "defineBelow" && mappingMode !== "autoMapInputData") {
    return [error("", mappingMode === undefined ? "has no mappingMode" : `mappingMode is ${quoted(mappingMode)}`, form)]
  }
  if (columns !== undefined && columns !== null && !isJsonObject(columns) && !isExpression(columns)) {
    return [error(".value", `is ${quoted(columns)}`, form)]
  }
  if (matchingColumns === undefined || isExpression(matchingColumns)) return []
  if (!Array.isArray(matchingColumns)) {
    return [error(".matchingColumns", `is ${quoted(matchingColumns)}`, "It must be a list of names of columns")]
  }
  return needsMatch && matchingColumns.length === 0
    ? [error(".matchingColumns", "names no column to find rows by", "Name the columns to match on")]
    : []
}

/** Text that most nodes cannot parse as JSON. */
export const json = (value: unknown): ReadonlyArray<Inside> => {
  if (!Predicate.isString(value) || value.trim() === "" || value.includes("{{") || /^[^[{]/.test(value.trim()))
    return []
  if (Option.isSome(parseJson(value)) || Option.isSome(parseJson(strict(value)))) return []
  return [
    error(
      "",
      `cannot be read as JSON: ${quoted(value)}`,
      `Write JSON; where parts are computed, begin with "=" and put them in {{ }}`
    )
  ]
}

/** Engines also accept JavaScript object literals. */
const strict = (text: string) =>
  inDoubleQuotes(text)
    .replace(/([{,]\s*)([A-Za-z_$][\w$]*)\s*:/g, '$1"$2":')
    .replace(/,(\s*[}\]])/g, "$1")

/** Texts in single quotes as JSON has them; one that nobody closes in its line stays. */
const inDoubleQuotes = (text: string): string => {
  const pieces: Array<string> = []
  let from = 0
  for (let start = text.indexOf("'"); start >= 0; start = text.indexOf("'", from)) {
    let end = start + 1
    while (end < text.length && text.charAt(end) !== "'" && text.charAt(end) !== "\n") {
      end += text.charAt(end) === "\\" ? 2 : 1
    }
    const inner = text.slice(start + 1, end)
    const isClosed = text.charAt(end) === "'"
    pieces.push(text.slice(from, start), isClosed ? JSON.stringify(inner.replaceAll("\\'", "'")) : `'${inner}`)
    from = isClosed ? end + 1 : end
  }
  return [...pieces, text.slice(from)].join("")
}
