import { Option, Result, Stream } from "effect"

import { inspectJson } from "../../internal/json/values.ts"
import { invalidRequest, parseError, type ProtocolError } from "../protocol/errors.ts"
import * as Message from "../protocol/Message.ts"

/** The bytes of one line without its end; of a line that is too long, its beginning and its end. */
export type Line =
  | { readonly _tag: "Line"; readonly bytes: Uint8Array }
  | { readonly _tag: "TooLong"; readonly bytes: number; readonly head: Uint8Array; readonly tail: Uint8Array }

const newline = 10
const carriageReturn = 13

/** Splits bytes into lines, whatever chunks they come in; of a line longer than `limit`, only its edges are kept. */
export const lines = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>, limit: number): Stream.Stream<Line, E, R> =>
  Stream.mapAccumArray(
    bytes,
    () => new Unfinished(limit),
    (unfinished, pieces) => [unfinished, pieces.flatMap((piece) => cut(unfinished, piece)).filter(isNotEmpty)],
    {
      onHalt: (unfinished) => (unfinished.length === 0 ? [] : [unfinished.finish(new Uint8Array())].filter(isNotEmpty))
    }
  )

const isNotEmpty = (line: Line): boolean => line._tag === "TooLong" || line.bytes.length > 0

const cut = (unfinished: Unfinished, piece: Uint8Array): ReadonlyArray<Line> => {
  const whole: Array<Line> = []
  let start = 0
  for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
    whole.push(unfinished.finish(piece.subarray(start, end)))
    start = end + 1
  }
  unfinished.add(piece.subarray(start))
  return whole
}

/** Bytes at the beginning and at the end of a line that is too long: one of them contains the id of the message. */
const edge = 256

const joined = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

/** The beginning of an incomplete line; its buffer grows by doubling, so that small chunks cost no more. */
class Unfinished {
  length = 0
  private buffer = new Uint8Array()
  private edges: { readonly head: Uint8Array; readonly tail: Uint8Array } | undefined
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  add(piece: Uint8Array) {
    const length = this.length + piece.length
    if (length > this.limit) {
      const { head, tail } = this.edges ?? this.edgesOfKept()
      this.edges = {
        head: joined(head, piece.subarray(0, edge)).subarray(0, edge),
        tail: joined(tail, piece.subarray(-edge)).slice(-edge)
      }
      this.buffer = new Uint8Array()
    } else {
      if (length > this.buffer.length) {
        const larger = new Uint8Array(Math.min(Math.max(length, 2 * this.buffer.length), this.limit))
        larger.set(this.buffer.subarray(0, this.length))
        this.buffer = larger
      }
      this.buffer.set(piece, this.length)
    }
    this.length = length
  }

  finish(rest: Uint8Array): Line {
    if (this.length === 0 && rest.length <= this.limit) return line(rest)
    this.add(rest)
    const { edges, buffer, length } = this
    this.length = 0
    this.buffer = new Uint8Array()
    this.edges = undefined
    return edges === undefined ? line(buffer.subarray(0, length)) : { _tag: "TooLong", bytes: length, ...edges }
  }

  private edgesOfKept() {
    const begun = this.buffer.subarray(0, this.length)
    return { head: begun.slice(0, edge), tail: begun.slice(-edge) }
  }
}

const line = (bytes: Uint8Array): Line => ({
  _tag: "Line",
  bytes: bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes
})

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
  const { id, problem } = inspectJson(text.success)
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
  isRequest.test(head) ? (inspectJson(head).id ?? lastId.exec(tail)?.[1]) : undefined

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
  const messageId = id === undefined ? Option.none() : Message.readIdText(id)
  return Option.isSome(messageId)
    ? Result.succeed({ _tag: "Invalid", id: messageId.value, problem })
    : Result.fail(unnamed(problem))
}
