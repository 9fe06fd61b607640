import { isJsonObject, type JsonObject } from "../schema/JsonObject.ts"

/** An object as it is; anything else counts as one without fields. For JSON of which nothing is promised. */
export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

/** A list as it is; anything else counts as an empty one. */
export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The objects of a list; what is none of them, or no list, counts as not there. */
export const objectsOf = (value: unknown): ReadonlyArray<JsonObject> => listOf(value).filter(isJsonObject)
