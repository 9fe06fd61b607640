import { Option, Predicate, Result, Schema } from "effect"

import { isMemoizable, memoized } from "../../internal/caching.ts"
import { abridged, oneLine } from "../../internal/foreignText.ts"
import type { EraName } from "./ProtocolVersion.ts"

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
const readReply = Schema.decodeUnknownOption(ReplyEnvelope)

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
interface Invalid {
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

export type MethodResult = Readonly<Record<string, unknown>>

export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}

type Response =
  | { readonly jsonrpc: "2.0"; readonly id: Id; readonly result: MethodResult }
  | { readonly jsonrpc: "2.0"; readonly id: Id | null; readonly error: ErrorObject }

/** A message that a client gets unasked. */
export interface ServerNotification {
  readonly jsonrpc: "2.0"
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** A request to a client. */
interface ServerRequest extends ServerNotification {
  readonly id: string
}

/** A message to a client that is no answer. */
export type ServerMessage = ServerNotification | ServerRequest

/**
 * The outcome of a message, for a transport with status codes of its own: answered (even with an error), refused before it was
 * processed, beyond the caller's access, naming an unknown method, or stopped before there was an answer.
 */
export interface Outcome {
  readonly era: EraName
  readonly verdict: "answered" | "refused" | "forbidden" | "stopped" | "unknown method"
  readonly response: Response | ReadonlyArray<Response>
  /** After a handshake: the id of its session, if there is one. */
  readonly session?: string
}

export const success = (id: Id, result: MethodResult): Response => ({ jsonrpc: "2.0", id, result })

/** Characters of each text of an error: what a caller or an upstream sent is quoted in it, however long that is. */
export const longestErrorText = 2000

/** Messages quote what callers and upstreams sent, so all of them are sanitised here. */
export const failure = (id: Id | null, { code, data, message }: ErrorObject): Response => ({
  jsonrpc: "2.0",
  id,
  error: { code, message: oneLine(abridged(message, longestErrorText)), ...(data === undefined ? {} : { data }) }
})

/** The answer to a message that is refused unread. */
export const refused = (id: Id | null, error: ErrorObject, era: EraName = "legacy"): Outcome => ({
  era,
  verdict: "refused",
  response: failure(id, error)
})

/** A response as JSON text. One that cannot be serialised becomes an error of the same request, so that it is answered. */
export const serialize = (response: Outcome["response"]): string =>
  "id" in response ? writtenSingle(response) : `[${response.map(writtenSingle).join(",")}]`

const writtenSingle = (response: Response): string =>
  Result.getOrElse(
    Result.try(() => textOf(response)),
    () => JSON.stringify(failure(response.id, unwritable))
  )

const textOf = (response: Response): string => {
  const members = "result" in response ? membersOf(response.result) : undefined
  return members === undefined
    ? JSON.stringify(response)
    : `{"jsonrpc":"2.0","id":${JSON.stringify(response.id)},"result":{${members}}}`
}

const unwritable: ErrorObject = {
  code: -32603,
  message:
    "The answer cannot be written as JSON: it is nested too deep or too large. What was asked for may have been done: " +
    "read the current state before trying again."
}

/** Members of results as JSON text, if they need not be serialised anew for each answer. */
const texts = new WeakMap<object, () => string>()

const textOfMembers = memoized((result: object): string => texts.get(result)?.() ?? bare(result))

/** An object's members as JSON, without the braces. */
export const bare = (object: object): string => JSON.stringify(object).slice(1, -1)

/** The members of a result as JSON text, without the braces; undefined to serialise the result as usual. */
export const membersOf = (result: object): string | undefined =>
  texts.has(result) || isMemoizable(result) ? textOfMembers(result) : undefined

/** The result, whose members are serialised by `text`. */
export const writtenBy = <A extends object>(result: A, text: () => string): A => {
  texts.set(result, text)
  return result
}
