import { Effect, Option, Predicate } from "effect"

import { parseJson } from "../../../internal/json/values.ts"
import { type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { entryOf, textOf } from "../store/values.ts"
import { NodeFailure } from "./evaluate.ts"

type Test = (left: unknown, right: unknown) => boolean

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (Predicate.isObject(value) && Object.keys(value).length === 0)

const isSame: Test = (left, right) => left === right || textOf(left) === textOf(right)
const contains: Test = (left, right) =>
  Array.isArray(left) ? left.includes(right) : textOf(left).includes(textOf(right))

const not =
  (test: Test): Test =>
  (left, right) =>
    !test(left, right)

const tests: Readonly<Record<string, Test>> = {
  equals: isSame,
  equal: isSame,
  notEquals: not(isSame),
  notEqual: not(isSame),
  contains,
  notContains: not(contains),
  startsWith: (left, right) => textOf(left).startsWith(textOf(right)),
  endsWith: (left, right) => textOf(left).endsWith(textOf(right)),
  gt: (left, right) => Number(left) > Number(right),
  gte: (left, right) => Number(left) >= Number(right),
  lt: (left, right) => Number(left) < Number(right),
  lte: (left, right) => Number(left) <= Number(right),
  larger: (left, right) => Number(left) > Number(right),
  largerEqual: (left, right) => Number(left) >= Number(right),
  smaller: (left, right) => Number(left) < Number(right),
  smallerEqual: (left, right) => Number(left) <= Number(right),
  true: (left) => left === true,
  false: (left) => left === false,
  empty: isEmpty,
  isEmpty,
  notEmpty: not(isEmpty),
  isNotEmpty: not(isEmpty),
  exists: (left) => left !== undefined && left !== null,
  notExists: (left) => left === undefined || left === null
}

/** Whether the conditions of an If or a Filter are met; their expressions have been evaluated before. */
export const holds = ({ combineOperation, conditions }: JsonObject): boolean => {
  const { combinator, conditions: list } = objectOf(conditions)
  const results = Array.isArray(list) ? list.map(current) : Object.entries(objectOf(conditions)).flatMap(old)
  return combinator === "or" || combineOperation === "any" ? results.some(Boolean) : results.every(Boolean)
}

const current = (condition: unknown): boolean => {
  const { leftValue, operator, rightValue } = objectOf(condition)
  return entryOf(tests, objectOf(operator).operation)?.(leftValue, rightValue) ?? false
}

/** Conditions in the form of the node's first version: lists by type. */
const old = ([type, list]: [string, unknown]): ReadonlyArray<boolean> =>
  listOf(list).map((condition: unknown) => {
    const { operation = type === "number" ? "smaller" : "equal", value1, value2 } = objectOf(condition)
    return entryOf(tests, operation)?.(value1, value2) ?? false
  })

/** The result of an Edit Fields node for one item's data; its expressions have been evaluated before. */
export const edit = (parameters: JsonObject, json: JsonObject): Effect.Effect<JsonObject, NodeFailure> => {
  if (parameters.mode === "raw") {
    const given = Predicate.isString(parameters.jsonOutput)
      ? Option.getOrUndefined(parseJson(parameters.jsonOutput))
      : parameters.jsonOutput
    return Predicate.isObject(given)
      ? Effect.succeed({ ...kept(parameters, json), ...given })
      : Effect.fail(new NodeFailure({ message: "The 'JSON Output' does not contain a valid JSON object" }))
  }
  return Effect.reduce(
    assignments(parameters),
    () => kept(parameters, json),
    (target, assignment) =>
      Effect.map(convert(assignment), (value) => put(target, assignment.name.split("."), value ?? null))
  )
}

/** The first two versions of the node keep other fields by default, later ones drop them. */
const kept = ({ include, includeOtherFields, keepOnlySet, values }: JsonObject, json: JsonObject): JsonObject => {
  if (values !== undefined) return keepOnlySet === true ? {} : json
  return includeOtherFields === true || include === "all" ? json : {}
}

interface Assignment {
  readonly name: string
  readonly type: unknown
  readonly value: unknown
}

/** The assignments in order; the first versions of the node have lists by type. */
const assignments = ({ assignments: given, values }: JsonObject): ReadonlyArray<Assignment> => {
  const typed = (list: unknown, kind?: string) =>
    listOf(list)
      .map(objectOf)
      .map(({ name, type, value }) => ({ name: String(name), type: kind ?? type, value }))
  const listed = objectOf(given).assignments
  return listed === undefined
    ? ["boolean", "number", "string"].flatMap((type) => typed(objectOf(values)[type], type))
    : typed(listed)
}

const truths: Readonly<Record<string, boolean>> = { true: true, false: false }

/** A value converted to a type. Only texts can fail to be numbers and booleans. */
const convert = ({ name, type, value }: Assignment): Effect.Effect<unknown, NodeFailure> => {
  const misfit = (kind: string) =>
    Effect.fail(new NodeFailure({ message: `'${name}' expects a ${kind} but we got '${textOf(value)}' [item 0]` }))
  if (type === "string") return Effect.succeed(value === undefined ? null : textOf(value))
  if (!Predicate.isString(value)) return Effect.succeed(value)
  if (type === "number") return Number.isNaN(Number(value)) ? misfit("number") : Effect.succeed(Number(value))
  if (type === "boolean") return Object.hasOwn(truths, value) ? Effect.succeed(truths[value]) : misfit("boolean")
  const isJson = type === "object" || type === "array"
  return Effect.succeed(isJson ? Option.getOrElse(parseJson(value), () => value) : value)
}

/** A name with dots reaches into objects. */
const put = (target: JsonObject, [first = "", ...rest]: ReadonlyArray<string>, value: unknown): JsonObject => ({
  ...target,
  [first]: rest.length === 0 ? value : put(objectOf(target[first]), rest, value)
})
