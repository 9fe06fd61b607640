import { Schema } from "effect"

/** The id of a request: a string or an integer, never null. */
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

/** The envelope of requests and notifications. */
export const readEnvelope = Schema.decodeUnknownOption(Envelope)

/** The envelope of answers to requests of ours, except for having either a result or an error. */
export const readReply = Schema.decodeUnknownOption(ReplyEnvelope)

/** An id in parsed JSON. */
export const readId = Schema.decodeUnknownOption(Id)

/** An id from its JSON text. */
export const readIdText = Schema.decodeOption(Schema.fromJsonString(Id))

const Cancelled = Schema.Struct({ requestId: Id })

/** The request that a client cancels. */
export const readCancelled = Schema.decodeUnknownOption(Cancelled)
