import { Predicate } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { agentType, neutralType } from "../client/naming.ts"

interface Rule {
  readonly field: string
  readonly demand: string | ((value: unknown) => string)
  readonly holds: (value: unknown) => boolean
}

const isText = (value: unknown): value is string => Predicate.isString(value) && value.trim() !== ""
const isObjectOrAbsent = (value: unknown) => value === undefined || Predicate.isObject(value)

/** What every node must have, in the order in which a caller would look for it. */
const rules: ReadonlyArray<Rule> = [
  { field: "name", demand: "a non-empty text", holds: isText },
  { field: "type", demand: "a non-empty text, for example engine-nodes-base.webhook", holds: isText },
  {
    field: "type",
    demand: (kind) =>
      `the package and the kind: ${neutralType(String(kind))}, or ${agentType(String(kind))} for AI nodes`,
    holds: (value) => Predicate.isString(value) && /.\../.test(value)
  },
  { field: "typeVersion", demand: "a number", holds: Number.isFinite },
  {
    field: "position",
    demand: "an array of two numbers",
    holds: (value) => Array.isArray(value) && value.length === 2 && value.every(Number.isFinite)
  },
  { field: "parameters", demand: "an object", holds: isObjectOrAbsent },
  {
    field: "credentials",
    demand: "an object that maps credential types to { id, name }",
    holds: (value) =>
      value === undefined || (Predicate.isObject(value) && Object.values(value).every(Predicate.isObject))
  }
]

/** What is wrong with one node by itself; it is called by its name, or by its place when it has none. */
export const nodeProblem = (node: JsonObject, index: number): string | undefined => {
  const broken = rules.find(({ field, holds }) => !holds(node[field]))
  if (broken === undefined) return undefined
  const label = isText(node.name) ? `node ${node.name}` : `node at index ${index}`
  const { field } = broken
  const demand = Predicate.isString(broken.demand) ? broken.demand : broken.demand(node[field])
  return node[field] === undefined
    ? `${label} has no ${field}: must be ${demand}`
    : `${label} has an invalid ${field}: must be ${demand}`
}
