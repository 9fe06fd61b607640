import { Schema } from "effect"

const ElicitResult = Schema.Struct({
  action: Schema.Literals(["accept", "decline", "cancel"]),
  content: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})

/** What a client's result says of the form that it showed. */
export const readResult = Schema.decodeUnknownOption(ElicitResult)

/** The answers to questions that a call brings, by their keys. */
export const readResponses = Schema.decodeUnknownOption(Schema.Record(Schema.String, Schema.Unknown))

const Kept = Schema.fromJsonString(
  Schema.Struct({
    key: Schema.String,
    asked: Schema.String,
    answered: Schema.Record(Schema.String, Schema.Unknown),
    until: Schema.Finite
  })
)

/** The state of a call that was sealed, with its end. */
export const readKept = Schema.decodeUnknownOption(Kept)
