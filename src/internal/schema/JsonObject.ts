import { Predicate, Schema } from "effect"

/** An object whose fields are nobody's business but that of who sent it. Pure: who needs only the check below bundles no schemas. */
export const JsonObject = /* @__PURE__ */ Schema.Record(Schema.String, Schema.Unknown)
export type JsonObject = typeof JsonObject.Type

/** Whether a value is an object; lists and `null` are none. */
export const isJsonObject = (value: unknown): value is JsonObject => Predicate.isObject(value)
