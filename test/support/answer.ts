import { Schema } from "effect"

/** The fields that an answer to a request can hold. */
export const Answer = Schema.Struct({
  id: Schema.Unknown,
  result: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  error: Schema.optionalKey(
    Schema.Struct({
      code: Schema.Int,
      message: Schema.String,
      data: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
    })
  )
})
export type Answer = typeof Answer.Type
export const decodeAnswer = Schema.decodeUnknownSync(Schema.fromJsonString(Answer))
