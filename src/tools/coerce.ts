import { type JsonSchema, Option, Predicate, Schema } from "effect"

/**
 * Reads clumsy spellings of top-level arguments as what they mean: a numeric string where a number belongs, JSON text
 * where an object or a list belongs, a number where a string belongs, `null` where the argument is left out.
 */
export const coerce = (
  input: Readonly<Record<string, unknown>>,
  schema: JsonSchema.JsonSchema
): Readonly<Record<string, unknown>> => {
  const properties = Predicate.isObject(schema.properties) ? schema.properties : {}
  const given = Object.entries(input).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, read(value, typesOf(properties, name))]))
}

const read = (value: unknown, types: ReadonlyArray<unknown>): unknown => {
  if (Predicate.isString(value)) {
    if (types.includes("string")) return value
    const parsed = Option.getOrUndefined(parseJson(value.trim()))
    return types.some((type) => isMeant(type, parsed)) ? parsed : value
  }
  const isOnlyString = types.length > 0 && types.every((type) => type === "string")
  return isOnlyString && Number.isSafeInteger(value) ? String(value) : value
}

const parseJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Some arguments take an object or a list, and can only say one of the two. */
const isMeant = (type: unknown, parsed: unknown): boolean =>
  type === "object" || type === "array" ? typeof parsed === "object" && parsed !== null : typeof parsed === type

/** The JSON types an argument may have; an integer counts as a number. */
const typesOf = (properties: object, name: string): ReadonlyArray<unknown> => {
  const property = new Map<string, unknown>(Object.entries(properties)).get(name)
  const branches =
    Predicate.hasProperty(property, "anyOf") && Array.isArray(property.anyOf) ? property.anyOf : [property]
  return branches
    .filter(Predicate.hasProperty("type"))
    .flatMap(({ type }) => type)
    .map((type) => (type === "integer" ? "number" : type))
}
