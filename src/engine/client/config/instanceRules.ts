import { Predicate } from "effect"

import { fieldAliases } from "./aliases.ts"
import { defaults, InstanceFields } from "./instanceFields.ts"

/** Whether a value of a setting can only restrict what would be done without it. */
export type Restricts = (value: unknown) => boolean

const always: Restricts = () => true

/** Numbers up to the default. */
export const atMost =
  (limit: number): Restricts =>
  (value) =>
    Predicate.isNumber(value) && value <= limit

/**
 * The fields of an instance in a file that merely lies in the working folder. Beside a key of the same file, all count; beside a
 * key of the environment, only those that restrict: no other may decide where that key goes, or how much is sent with it. One
 * without a rule does more than restrict.
 */
export const instanceRules = {
  engine_api_key: always,
  readOnly: always,
  allowInsecureHttp: (value) => value === false,
  allowsDeprecatedNodes: (value) => value === false,
  requestsPerSecond: atMost(defaults.requestsPerSecond),
  concurrency: atMost(defaults.concurrency),
  headers: (value) => Predicate.isObject(value) && Object.keys(value).length === 0
} satisfies Readonly<Partial<Record<keyof (typeof InstanceFields)["fields"], Restricts>>>

const rules: ReadonlyMap<string, Restricts> = new Map(Object.entries(instanceRules))

/** Fields of an instance that do more than restrict, under our names and in the order of the schema. */
export const unrestricting = (written: unknown): ReadonlyArray<string> => {
  const values = new Map(
    Object.entries(Object(written)).map(([name, value]) => [fieldAliases.get(name) ?? name, value] as const)
  )
  return Object.keys(InstanceFields.fields).filter(
    (name) => values.has(name) && rules.get(name)?.(values.get(name)) !== true
  )
}
