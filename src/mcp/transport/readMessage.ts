import { Option, Result } from "effect"

import { inspect } from "../jsonText.ts"
import { readIdText } from "../protocol/Message.ts"
import * as Message from "../protocol/Message.ts"
import { invalidRequest, parseError, type ProtocolError } from "../protocol/ProtocolError.ts"

/** Largest message in bytes: one HTTP body, or one line. */
export const largestMessage = 16 * 1024 * 1024

const decoder = new TextDecoder("utf-8", { fatal: true })

/**
 * Reads UTF-8 bytes as a message. JSON that is nested too deeply, contains `__proto__` or has too many fields is an invalid
 * message and never parsed; it keeps its id if that can be found, so that the sender learns about it.
 */
export const readMessage = (bytes: Uint8Array): Result.Result<Message.Message, ProtocolError> => {
  const text = Result.try(() => decoder.decode(bytes))
  if (Result.isFailure(text)) return Result.fail(parseError("not UTF-8"))
  const { id, problem } = inspect(text.success)
  if (problem !== undefined) return invalid(id, problem, parseError)
  const json = Result.try((): unknown => JSON.parse(text.success))
  return Result.isSuccess(json) ? Result.succeed(Message.read(json.success)) : Result.fail(parseError("not JSON"))
}

/** Refuses a message that was not kept completely, with its id if it is a request whose beginning or end contains one. */
export const readEdges = (
  { head, tail }: { readonly head: Uint8Array; readonly tail: Uint8Array },
  problem: string
): Result.Result<Message.Message, ProtocolError> => invalid(idIn(textOf(head), textOf(tail)), problem, invalidRequest)

const idIn = (head: string, tail: string): string | undefined =>
  isRequest.test(head) ? (inspect(head).id ?? lastId.exec(tail)?.[1]) : undefined

/** An answer to us also has an id, which is one of ours. */
const isRequest = /"method"\s*:/

/** The id of a message, which many clients write last. */
const lastId = /,\s*"id"\s*:\s*("[^"\\]{0,100}"|-?\d{1,20})\s*\}\s*$/

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const invalid = (
  id: string | undefined,
  problem: string,
  unnamed: (problem: string) => ProtocolError
): Result.Result<Message.Message, ProtocolError> => {
  const messageId = id === undefined ? Option.none() : readIdText(id)
  return Option.isSome(messageId)
    ? Result.succeed({ _tag: "Invalid", id: messageId.value, problem })
    : Result.fail(unnamed(problem))
}
