import { Schema, Option, Predicate } from "effect"

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
const readEnvelope = Schema.decodeUnknownOption(Envelope)

/** The envelope of answers to requests of ours, except for having either a result or an error. */
export const readReply = Schema.decodeUnknownOption(ReplyEnvelope)

/** An id in parsed JSON. */
const readId = Schema.decodeUnknownOption(Id)

/** An id from its JSON text. */
export const readIdText = Schema.decodeOption(Schema.fromJsonString(Id))

const Cancelled = Schema.Struct({ requestId: Id })

/** The request that a client cancels. */
export const readCancelled = Schema.decodeUnknownOption(Cancelled)

export interface Request {
  readonly _tag: "Request"
  readonly id: Id
  readonly method: string
  readonly params: unknown
}

export interface Notification {
  readonly _tag: "Notification"
  readonly method: string
  readonly params: unknown
}

/** A client's answer to a request of ours; it has either a result or an error. */
export interface Reply {
  readonly _tag: "Reply"
  readonly id: Id | null
  readonly result?: unknown
  readonly error?: unknown
}

/** JSON that is not a JSON-RPC message; with its id if that could be read. */
export interface Invalid {
  readonly _tag: "Invalid"
  readonly id: Id | null
  readonly problem: string
}

export interface Batch {
  readonly _tag: "Batch"
  readonly messages: ReadonlyArray<Single>
}

export type Single = Invalid | Notification | Reply | Request
export type Message = Batch | Single

const largestBatch = 50

const invalid = (id: Id | null, problem: string): Invalid => ({ _tag: "Invalid", id, problem })

/** Reads parsed JSON as a JSON-RPC 2.0 message, strictly. */
export const read = (json: unknown): Message => {
  if (!Array.isArray(json)) return readSingle(json)
  if (json.length === 0) return invalid(null, "a batch holds at least one message")
  if (json.length > largestBatch) return invalid(null, `a batch holds at most ${largestBatch} messages`)
  return { _tag: "Batch", messages: json.map(readSingle) }
}

const readSingle = (json: unknown): Single => {
  if (!Predicate.isObject(json)) return invalid(null, "a message is a JSON object")
  if (isPlainRequest(json)) return { _tag: "Request", id: json.id, method: json.method, params: json.params }
  if (isPlainNotification(json)) return { _tag: "Notification", method: json.method, params: json.params }
  const reply = "method" in json ? Option.none() : readReply(json)
  if (Option.isSome(reply) && "result" in json !== "error" in json) {
    const { error, id = null, result } = reply.value
    return { _tag: "Reply", id, ...("error" in json ? { error } : { result }) }
  }
  return Option.match(readEnvelope(json), {
    onNone: () =>
      invalid(idOf(json), "jsonrpc is 2.0, id a string or a whole number, method a string, params an object"),
    onSome: ({ id, method, params }) =>
      id === undefined ? { _tag: "Notification", method, params } : { _tag: "Request", id, method, params }
  })
}

interface Plain {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** A quick check for requests, which nearly every message is; everything else is left to the schemas. */
const isPlainRequest = (json: object): json is Plain & { readonly id: Id } =>
  "id" in json && (Predicate.isString(json.id) || Number.isSafeInteger(json.id)) && isPlain(json)

/** The same for the notification that every client sends after its handshake. */
const isPlainNotification = (json: object): json is Plain => !("id" in json) && isPlain(json)

const isPlain = (json: object): json is Plain =>
  "jsonrpc" in json &&
  json.jsonrpc === "2.0" &&
  "method" in json &&
  Predicate.isString(json.method) &&
  (!("params" in json) || Predicate.isObject(json.params))

const idOf = (json: object): Id | null => ("id" in json ? Option.getOrNull(readId(json.id)) : null)
