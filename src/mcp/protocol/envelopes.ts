import { Schema } from "effect"

/** The id of a request: a string or a whole number, never null. */
export const Id = Schema.Union([Schema.String, Schema.Int])
export type Id = typeof Id.Type

const Envelope = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.optionalKey(Id),
  method: Schema.String,
  params: Schema.optionalKey(Schema.Union([Schema.Record(Schema.String, Schema.Unknown), Schema.Array(Schema.Unknown)]))
})

const ReplyEnvelope = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.optionalKey(Schema.NullOr(Id)),
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.Unknown)
})

/** What is a request or a notification. */
export const readEnvelope = Schema.decodeUnknownOption(Envelope)

/** What is an answer to a request of ours, but for having either a result or an error. */
export const readReply = Schema.decodeUnknownOption(ReplyEnvelope)

/** An id in JSON that was parsed. */
export const readId = Schema.decodeUnknownOption(Id)

/** An id by its JSON text. */
export const readIdText = Schema.decodeOption(Schema.fromJsonString(Id))

const Cancelled = Schema.Struct({ requestId: Id })

/** Which request a client does not want to be served any more. */
export const readCancelled = Schema.decodeUnknownOption(Cancelled)
