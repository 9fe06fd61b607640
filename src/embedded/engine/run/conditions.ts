import { Predicate } from "effect"

import type { Free } from "../../../engine/Workflow.ts"
import { asFree, asList, own, textOf } from "../store/values.ts"

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

/** Whether the conditions of an If or a Filter hold; their expressions have been worked out before. */
export const holds = ({ combineOperation, conditions }: Free): boolean => {
  const { combinator, conditions: list } = asFree(conditions)
  const results = Array.isArray(list) ? list.map(current) : Object.entries(asFree(conditions)).flatMap(old)
  return combinator === "or" || combineOperation === "any" ? results.some(Boolean) : results.every(Boolean)
}

const current = (condition: unknown): boolean => {
  const { leftValue, operator, rightValue } = asFree(condition)
  return own(tests, asFree(operator).operation)?.(leftValue, rightValue) ?? false
}

/** Conditions as the first version of the node has them: in lists by type. */
const old = ([type, list]: [string, unknown]): ReadonlyArray<boolean> =>
  asList(list).map((condition: unknown) => {
    const { operation = type === "number" ? "smaller" : "equal", value1, value2 } = asFree(condition)
    return own(tests, operation)?.(value1, value2) ?? false
  })
