import { Option, Result } from "effect"

import { inspect } from "../jsonText.ts"
import { readIdText } from "../protocol/envelopes.ts"
import * as Message from "../protocol/Message.ts"
import { parseError, type ProtocolError } from "../protocol/ProtocolError.ts"

/** Largest message in bytes: one HTTP body, or one line. */
export const largestMessage = 16 * 1024 * 1024

const decoder = new TextDecoder("utf-8", { fatal: true })

/**
 * Reads UTF-8 bytes as a message. What is nested too deep, names `__proto__` or has too many fields is an invalid message
 * that is never parsed; it keeps its id where it shows one, so that its sender gets to know.
 */
export const readMessage = (bytes: Uint8Array): Result.Result<Message.Message, ProtocolError> => {
  const text = Result.try(() => decoder.decode(bytes))
  if (Result.isFailure(text)) return Result.fail(parseError("not UTF-8"))
  const { id, problem } = inspect(text.success)
  if (problem !== undefined) {
    const known = id === undefined ? Option.none() : readIdText(id)
    return Option.isSome(known)
      ? Result.succeed({ _tag: "Invalid", id: known.value, problem })
      : Result.fail(parseError(problem))
  }
  const json = Result.try((): unknown => JSON.parse(text.success))
  return Result.isSuccess(json) ? Result.succeed(Message.read(json.success)) : Result.fail(parseError("not JSON"))
}
