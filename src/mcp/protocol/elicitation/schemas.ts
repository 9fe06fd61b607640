import { Schema } from "effect"

const ElicitResult = Schema.Struct({
  action: Schema.Literals(["accept", "decline", "cancel"]),
  content: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})

/** A client's result for a form. */
export const readResult = Schema.decodeUnknownOption(ElicitResult)

/** The answers to questions in a call, by key. */
export const readResponses = Schema.decodeUnknownOption(Schema.Record(Schema.String, Schema.Unknown))

const Kept = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.String,
    caller: Schema.String,
    key: Schema.String,
    asked: Schema.String,
    answered: Schema.Record(Schema.String, Schema.Unknown),
    until: Schema.Finite
  })
)

/** The sealed state of a call, with its expiry. */
export const readKept = Schema.decodeUnknownOption(Kept)
