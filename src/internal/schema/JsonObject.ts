import { Predicate, Schema } from "effect"

/** An object whose fields only concern whoever sent it. The functions below need no schemas, so that importing them bundles none. */
export const JsonObject = /* @__PURE__ */ Schema.Record(Schema.String, Schema.Unknown)
export type JsonObject = typeof JsonObject.Type

/** Whether a value is an object, and neither a list nor `null`. */
export const isJsonObject = (value: unknown): value is JsonObject => Predicate.isObject(value)

/** An object as it is; anything else becomes one without fields. For JSON of unknown shape, like the next three. */
export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

/** A list as it is; anything else becomes an empty one. */
export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The objects in a list; everything else is left out. */
export const objectsOf = (value: unknown): ReadonlyArray<JsonObject> => listOf(value).filter(isJsonObject)

/** A text as it is; anything else becomes an empty one. */
export const textOf = (value: unknown): string => (Predicate.isString(value) ? value : "")

/** A field that an object has itself; never an inherited member such as `constructor`. */
export const fieldIn = <A>(object: Readonly<Record<string, A>>, name: string): A | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** A struct that keeps the fields it does not know, so that what an upstream adds survives. */
export const open = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Unknown)])
