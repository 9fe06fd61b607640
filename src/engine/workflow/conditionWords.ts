import { Predicate } from "effect"

import { oneLine } from "../../internal/foreignText.ts"
import { isJsonObject, type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"

/** A value as a person reads it: an expression without its wrapping, a picked thing by its name. */
export const valueWords = (value: unknown): string => {
  if (value === undefined || value === null) return ""
  if (isJsonObject(value) && "value" in value) {
    const { cachedResultName } = value
    return Predicate.isString(cachedResultName) && cachedResultName !== "" ? cachedResultName : valueWords(value.value)
  }
  if (!Predicate.isString(value)) return JSON.stringify(value) ?? ""
  const line = oneLine(value)
  const whole = /^=\s*\{\{((?:(?!\}\}).)*)\}\}$/.exec(line)?.[1]
  return whole === undefined ? line.replace(/^=/, "") : whole.trim()
}

/** Operations that have a sign; the others stand by their names. */
const signs: Readonly<Record<string, string>> = {
  equals: "=",
  equal: "=",
  notEquals: "≠",
  notEqual: "≠",
  gt: ">",
  larger: ">",
  lt: "<",
  smaller: "<",
  gte: "≥",
  largerEqual: "≥",
  lte: "≤",
  smallerEqual: "≤",
  regex: "matches",
  notRegex: "does not match",
  notContains: "does not contain",
  notExists: "does not exist",
  empty: "is empty",
  isEmpty: "is empty",
  notEmpty: "is not empty",
  isNotEmpty: "is not empty",
  true: "is true",
  false: "is false",
  startsWith: "starts with",
  endsWith: "ends with"
}

/** Operations without a second value. */
const alone = new Set(["exists", "notExists", "empty", "isEmpty", "notEmpty", "isNotEmpty", "true", "false"])

const conditionWords = (left: unknown, operation: unknown, right: unknown): string => {
  const name = Predicate.isString(operation) ? operation : "equals"
  const sign = Object.hasOwn(signs, name) ? signs[name] : name.replaceAll(/([A-Z])/g, " $1").toLowerCase()
  const value = Predicate.isString(right) && !right.startsWith("=") ? JSON.stringify(right) : valueWords(right)
  return [valueWords(left), sign, ...(alone.has(name) ? [] : [value])].join(" ").trim()
}

/** The conditions of a branch, joined as they hold together. */
export const conditionsWords = (holder: unknown, combineOperation?: unknown): string => {
  if (!isJsonObject(holder)) return ""
  const { combinator, conditions } = holder
  if (Array.isArray(conditions)) {
    const words = conditions
      .filter(isJsonObject)
      .map(({ leftValue, operator, rightValue }) =>
        conditionWords(leftValue, isJsonObject(operator) ? operator.operation : operator, rightValue)
      )
    return words.join(combinator === "or" ? " or " : " and ")
  }
  const words = Object.entries(holder).flatMap(([type, list]) =>
    objectsOf(list).map((condition) => oldConditionWords(type, condition))
  )
  return words.join(combineOperation === "any" ? " or " : " and ")
}

/** The form of the first version: lists by type. */
const oldConditionWords = (type: string, { operation, value1, value2 }: JsonObject): string =>
  conditionWords(value1, operation ?? (type === "number" ? "smaller" : "equal"), value2)
