import { Option, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"

import { JsonObject } from "../../../internal/schema/JsonObject.ts"

/** Where a search goes on in one instance: a page of the engine, and how many of its finds are shown already. */
const Place = Schema.Struct({
  instance: Schema.String,
  /** The engine's cursor of that page, none for the first one. */
  after: Schema.optionalKey(Schema.NonEmptyString),
  skip: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
})
export type Place = typeof Place.Type

/** What a search looks for, and the instances in which it has not ended; opaque to the caller. */
const Cursor = Schema.fromJsonString(
  Schema.Struct({
    list: Schema.Literal("search_workflows"),
    criteria: JsonObject,
    places: Schema.NonEmptyArray(Place)
  })
)

const encode = Schema.encodeSync(Cursor)
const decode = Schema.decodeUnknownOption(Cursor)

/** The cursor of what is left of a search; nothing where it has ended. */
export const writeCursor = (criteria: JsonObject, places: ReadonlyArray<Place>): string | undefined => {
  const [first, ...more] = places
  return first === undefined
    ? undefined
    : Base64.encode(encode({ list: "search_workflows", criteria, places: [first, ...more] }))
}

/** What a cursor of an earlier search holds. */
export const readCursor = (text: string) =>
  Option.getOrUndefined(Option.flatMap(Result.getSuccess(Base64.decodeString(text)), decode))
