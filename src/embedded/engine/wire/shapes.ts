import { Predicate, Result, Schema } from "effect"

/** What a value in a request must look like, for an engine that names the first thing that is wrong. */
export type Shape =
  | { readonly is: "anything" | "boolean" | "json" | "map" | "number" | "object" | "readOnly" | "string" }
  | { readonly is: "choice"; readonly of: ReadonlyArray<string> }
  | { readonly is: "array"; readonly of: Shape }
  | Fields

export interface Fields {
  readonly is: "fields"
  readonly fields: Readonly<Record<string, Shape>>
  readonly required: ReadonlyArray<string>
  /** Whether other fields may stand beside these. */
  readonly isOpen?: boolean
}

export const anything: Shape = { is: "anything" }
export const boolean: Shape = { is: "boolean" }
export const number: Shape = { is: "number" }
export const string: Shape = { is: "string" }
/** Any object. */
export const object: Shape = { is: "object" }
/** Any object, too; 2.x engines complain about this one as 1.x engines do. */
export const map: Shape = { is: "map" }
/** An object, null, or the text of one. */
export const json: Shape = { is: "json" }
/** A field that answers have and requests must not. */
export const readOnly: Shape = { is: "readOnly" }

export const choice = (...of: ReadonlyArray<string>): Shape => ({ is: "choice", of })

export const array = (of: Shape): Shape => ({ is: "array", of })

/** An object with these fields, and no others unless it is made open. */
export const fields = (of: Readonly<Record<string, Shape>>, ...required: ReadonlyArray<string>): Fields => ({
  is: "fields",
  fields: of,
  required
})

/** How an engine tells what is wrong with a request. A path is `request/body/nodes/0`. */
export interface ShapeMessages {
  /** Whether missing and unknown fields are told before wrong ones. */
  readonly demandsFirst: boolean
  readonly missing: (path: string, name: string, shape: Shape | undefined) => string
  readonly unknown: (path: string, names: ReadonlyArray<string>) => string
  readonly type: (path: string, expected: string, value: unknown) => string
  readonly choice: (path: string, allowed: ReadonlyArray<string>, value: unknown) => string
  readonly json: (path: string, value: unknown) => string
}

/** What a value is called: `null` and `array` are told apart from `object`. */
export const typeName = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

type Find = (messages: ShapeMessages, shape: Shape, value: unknown, path: string) => string | undefined

/** The first thing that is wrong with a value, in the words of an engine, or nothing. */
export const firstProblem: Find = (messages, shape, value, path) => {
  switch (shape.is) {
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
      return matches[shape.is](value) ? undefined : messages.type(path, shape.is, value)
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
  if (messages.demandsFirst) return first([...shape.required.map(missing), unknown, ...all.map(wrong)])
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
