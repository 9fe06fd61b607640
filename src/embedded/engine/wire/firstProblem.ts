import { Predicate, Result, Schema } from "effect"

import type { Fields, Shape } from "./shapes.ts"
import type { Words } from "./Words.ts"

type Find = (words: Words, shape: Shape, value: unknown, path: string) => string | undefined

/** What an engine with these words says first about a value, or nothing when the value is as it should be. */
export const firstProblem: Find = (words, shape, value, path) => {
  switch (shape.is) {
    case "anything":
      return undefined
    case "readOnly":
      return `${path} is read-only`
    case "choice":
      return Predicate.isString(value) && shape.of.includes(value) ? undefined : words.choice(path, shape.of, value)
    case "json":
      return isJson(value) ? undefined : words.json(path, value)
    case "map":
      return Predicate.isObject(value) ? undefined : `${path} must be object`
    case "array":
      return Array.isArray(value)
        ? first(value.map((item, index) => () => firstProblem(words, shape.of, item, `${path}/${index}`)))
        : words.type(path, "array", value)
    case "fields":
      return Predicate.isObject(value) ? problemOfFields(words, shape, value, path) : words.type(path, "object", value)
    default:
      return matches[shape.is](value) ? undefined : words.type(path, shape.is, value)
  }
}

const matches = {
  boolean: Predicate.isBoolean,
  number: Number.isFinite,
  object: Predicate.isObject,
  string: Predicate.isString
}

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const isJson = (value: unknown): boolean =>
  value === null || Predicate.isObject(value) || (Predicate.isString(value) && Result.isSuccess(parse(value)))

const problemOfFields = (
  words: Words,
  shape: Fields,
  value: { readonly [key: PropertyKey]: unknown },
  path: string
) => {
  const isGiven = (name: string) => value[name] !== undefined
  const missing = (name: string) => () => (isGiven(name) ? undefined : words.missing(path, name, shape.fields[name]))
  const wrong =
    ([name, field]: [string, Shape]) =>
    () =>
      isGiven(name) ? firstProblem(words, field, value[name], `${path}/${name}`) : undefined
  const unknown = () => {
    const names = Object.keys(value).filter((name) => !Object.hasOwn(shape.fields, name))
    return names.length === 0 || shape.isOpen === true ? undefined : words.unknown(path, names)
  }
  const all = Object.entries(shape.fields)
  if (words.demandsFirst) return first([...shape.required.map(missing), unknown, ...all.map(wrong)])
  const demand = (field: [string, Shape]) => [
    ...(shape.required.includes(field[0]) ? [missing(field[0])] : []),
    wrong(field)
  ]
  return first([...all.filter(([, { is }]) => is === "readOnly").map(wrong), ...all.flatMap(demand), unknown])
}

const first = (checks: ReadonlyArray<() => string | undefined>): string | undefined => {
  for (const check of checks) {
    const problem = check()
    if (problem !== undefined) return problem
  }
  return undefined
}
