import { Predicate, Schema } from "effect"

/** An object whose fields are nobody's business but that of who sent it. Pure: who needs only what is below bundles no schemas. */
export const JsonObject = /* @__PURE__ */ Schema.Record(Schema.String, Schema.Unknown)
export type JsonObject = typeof JsonObject.Type

/** Whether a value is an object; lists and `null` are none. */
export const isJsonObject = (value: unknown): value is JsonObject => Predicate.isObject(value)

/** An object as it is; anything else counts as one without fields. For JSON of which nothing is promised, as the next two. */
export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

/** A list as it is; anything else counts as an empty one. */
export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The objects of a list; what is none of them, or no list, counts as not there. */
export const objectsOf = (value: unknown): ReadonlyArray<JsonObject> => listOf(value).filter(isJsonObject)
