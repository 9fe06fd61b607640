import { Option, Predicate } from "effect"

import { parseJson } from "../../../internal/json/values.ts"

/** The required form of a value in a request, for an engine that names the first thing that is wrong. */
export type Shape =
  | { readonly _tag: "anything" | "boolean" | "json" | "map" | "number" | "object" | "readOnly" | "string" }
  | { readonly _tag: "choice"; readonly of: ReadonlyArray<string> }
  | { readonly _tag: "array"; readonly of: Shape }
  | Fields

export interface Fields {
  readonly _tag: "fields"
  readonly fields: Readonly<Record<string, Shape>>
  readonly required: ReadonlyArray<string>
  /** Whether other fields may stand beside these. */
  readonly isOpen?: boolean
}

export const anything: Shape = { _tag: "anything" }
export const boolean: Shape = { _tag: "boolean" }
export const number: Shape = { _tag: "number" }
export const string: Shape = { _tag: "string" }
/** Any object. */
export const object: Shape = { _tag: "object" }
/** Any object, too; for this one 2.x engines use the message of 1.x. */
export const map: Shape = { _tag: "map" }
/** An object, null, or the text of one. */
export const json: Shape = { _tag: "json" }
/** A field that answers have and requests must not. */
export const readOnly: Shape = { _tag: "readOnly" }

export const choice = (...of: ReadonlyArray<string>): Shape => ({ _tag: "choice", of })

export const array = (of: Shape): Shape => ({ _tag: "array", of })

/** An object with these fields, and no others unless it is made open. */
export const fields = (of: Readonly<Record<string, Shape>>, ...required: ReadonlyArray<string>): Fields => ({
  _tag: "fields",
  fields: of,
  required
})

/** Messages of an engine about an invalid request. A path is `request/body/nodes/0`. */
export interface ShapeMessages {
  /** Whether missing and unknown fields are reported before wrong ones. */
  readonly reportsMissingFirst: boolean
  readonly missing: (path: string, name: string, shape: Shape | undefined) => string
  readonly unknown: (path: string, names: ReadonlyArray<string>) => string
  readonly type: (path: string, expected: string, value: unknown) => string
  readonly choice: (path: string, allowed: ReadonlyArray<string>, value: unknown) => string
  readonly json: (path: string, value: unknown) => string
}

/** The name of a value's type; `null` and `array` are types of their own. */
export const typeName = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

type Find = (messages: ShapeMessages, shape: Shape, value: unknown, path: string) => string | undefined

/** The message about the first thing that is wrong with a value, or nothing. */
export const firstProblem: Find = (messages, shape, value, path) => {
  switch (shape._tag) {
    case "anything":
      return undefined
    case "readOnly":
      return `${path} is read-only`
    case "choice":
      return Predicate.isString(value) && shape.of.includes(value) ? undefined : messages.choice(path, shape.of, value)
    case "json":
      return isJson(value) ? undefined : messages.json(path, value)
    case "map":
      return Predicate.isObject(value) ? undefined : `${path} must be object`
    case "array":
      return Array.isArray(value)
        ? first(value.map((item, index) => () => firstProblem(messages, shape.of, item, `${path}/${index}`)))
        : messages.type(path, "array", value)
    case "fields":
      return Predicate.isObject(value)
        ? problemOfFields(messages, shape, value, path)
        : messages.type(path, "object", value)
    default:
      return matches[shape._tag](value) ? undefined : messages.type(path, shape._tag, value)
  }
}

const matches = {
  boolean: Predicate.isBoolean,
  number: Number.isFinite,
  object: Predicate.isObject,
  string: Predicate.isString
}

const isJson = (value: unknown): boolean =>
  value === null || Predicate.isObject(value) || (Predicate.isString(value) && Option.isSome(parseJson(value)))

const problemOfFields = (
  messages: ShapeMessages,
  shape: Fields,
  value: { readonly [key: PropertyKey]: unknown },
  path: string
) => {
  const isGiven = (name: string) => value[name] !== undefined
  const missing = (name: string) => () => (isGiven(name) ? undefined : messages.missing(path, name, shape.fields[name]))
  const wrong =
    ([name, field]: [string, Shape]) =>
    () =>
      isGiven(name) ? firstProblem(messages, field, value[name], `${path}/${name}`) : undefined
  const unknown = () => {
    const names = Object.keys(value).filter((name) => !Object.hasOwn(shape.fields, name))
    return names.length === 0 || shape.isOpen === true ? undefined : messages.unknown(path, names)
  }
  const all = Object.entries(shape.fields)
  if (messages.reportsMissingFirst) return first([...shape.required.map(missing), unknown, ...all.map(wrong)])
  const demand = (field: [string, Shape]) => [
    ...(shape.required.includes(field[0]) ? [missing(field[0])] : []),
    wrong(field)
  ]
  return first([...all.filter(([, { _tag }]) => _tag === "readOnly").map(wrong), ...all.flatMap(demand), unknown])
}

const first = (checks: ReadonlyArray<() => string | undefined>): string | undefined => {
  for (const check of checks) {
    const problem = check()
    if (problem !== undefined) return problem
  }
  return undefined
}
