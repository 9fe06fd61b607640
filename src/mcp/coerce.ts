import { type JsonSchema, Option, Predicate } from "effect"

import { inspectJson, parseJson } from "../internal/json/values.ts"

/** The problem with the JSON text at this path (`items.0.data`), if there is such a text, and it is not accepted. */
export const refusedText = (input: unknown, path: string): string | undefined => {
  const value = path.split(".").reduce<unknown>((at, name) => Reflect.get(Object(at), name), input)
  const problem = Predicate.isString(value) ? inspectJson(value).problem : undefined
  return problem === undefined ? undefined : `must be JSON that can be taken: ${problem}`
}

/**
 * Converts clumsy spellings of arguments, and of the items of their lists: a numeric string where a number belongs, JSON text
 * where an object or a list belongs, a number where a string belongs, `null` for an omitted argument.
 */
export const coercion = (schema: JsonSchema.JsonSchema) => {
  const properties = new Map<string, unknown>(Object.entries(schema.properties ?? {}))
  return (input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
    const entries = Object.entries(input).filter(([, value]) => value !== null && value !== undefined)
    return Object.fromEntries(entries.map(([name, value]) => [name, read(value, properties.get(name))]))
  }
}

const read = (value: unknown, schema: unknown): unknown => {
  const types = typesOf(schema)
  if (Predicate.isString(value) && !types.includes("string")) {
    const parsed = inspectJson(value).problem === undefined ? Option.getOrUndefined(parseJson(value.trim())) : undefined
    return types.some((type) => isMeant(type, parsed)) ? readItems(parsed, schema) : value
  }
  const isOnlyString = types.length > 0 && types.every((type) => type === "string")
  return isOnlyString && Number.isSafeInteger(value) ? String(value) : readItems(value, schema)
}

const readItems = (value: unknown, schema: unknown): unknown =>
  Array.isArray(value) && Predicate.hasProperty(schema, "items")
    ? value.map((item: unknown) => read(item, schema.items))
    : value

/** Some arguments take an object or a list, but their schema can say only one of them. */
const isMeant = (type: unknown, parsed: unknown): boolean =>
  type === "object" || type === "array" ? typeof parsed === "object" && parsed !== null : typeof parsed === type

/** The JSON types that a value may have; an integer counts as a number. */
const typesOf = (schema: unknown): ReadonlyArray<unknown> => {
  const branches = Predicate.hasProperty(schema, "anyOf") && Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
  return branches
    .filter(Predicate.hasProperty("type"))
    .flatMap(({ type }) => type)
    .map((type) => (type === "integer" ? "number" : type))
}
