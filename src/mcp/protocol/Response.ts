import { Result as Try } from "effect"

import { abridged, oneLine } from "../../internal/foreignText.ts"
import { isMemoizable, memoized } from "../../internal/memoize.ts"
import type { Id } from "./Message.ts"
import type { EraName } from "./ProtocolVersion.ts"

export type Result = Readonly<Record<string, unknown>>

export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}

export type Response =
  | { readonly jsonrpc: "2.0"; readonly id: Id; readonly result: Result }
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

export const success = (id: Id, result: Result): Response => ({ jsonrpc: "2.0", id, result })

/** Characters of each text of an error: what a caller or an upstream sent is quoted in it, however long that is. */
export const longest = 2000

/** Messages quote what callers and upstreams sent, so all of them are sanitised here. */
export const failure = (id: Id | null, { code, data, message }: ErrorObject): Response => ({
  jsonrpc: "2.0",
  id,
  error: { code, message: oneLine(abridged(message, longest)), ...(data === undefined ? {} : { data }) }
})

/** The answer to a message that is refused unread. */
export const refused = (id: Id | null, error: ErrorObject, era: EraName = "legacy"): Outcome => ({
  era,
  verdict: "refused",
  response: failure(id, error)
})

/** A response as JSON text. One that cannot be serialised becomes an error of the same request, so that it is answered. */
export const written = (response: Outcome["response"]): string =>
  "id" in response ? writtenSingle(response) : `[${response.map(writtenSingle).join(",")}]`

const writtenSingle = (response: Response): string =>
  Try.getOrElse(
    Try.try(() => textOf(response)),
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
