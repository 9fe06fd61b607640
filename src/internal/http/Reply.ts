import { Effect, Option, Stream } from "effect"
import { Headers } from "effect/http"

import type { Selection } from "../json/Selection.ts"
import { Selector } from "../json/Selector.ts"
import { withReference } from "../withReference.ts"
import { MemoryBudget, type Room, UsefulBytes } from "./MemoryBudget.ts"
import type { Answer, TransportError } from "./Transport.ts"
import { MoreThanUseful, ReplyTooLarge } from "./UpstreamFailure.ts"

/** An answer, read to its end. */
export interface Reply {
  readonly status: number
  readonly headers: Headers.Headers
  readonly text: string
}

/**
 * Reads an answer to its end, and no further than the limit, in bytes counted after decompression. Of large JSON only
 * what is selected is kept.
 */
export const read = (
  answer: Answer,
  limit: number,
  selection: Selection = "whole"
): Effect.Effect<Reply, TransportError | MoreThanUseful | ReplyTooLarge> =>
  withReference(UsefulBytes, (most) => {
    const { headers, status } = answer
    const announced = announcedBytes(headers)
    const isSelected = selection !== "whole" && status < 300 && isJson(headers) && (announced ?? Infinity) > small
    const useful = status < 300 ? most : Infinity
    if (announced !== undefined && announced > useful && !isSelected) {
      return Effect.fail(new MoreThanUseful({ bytes: announced }))
    }
    if (announced !== undefined && announced > limit) return Effect.fail(new ReplyTooLarge({ limit }))
    const text =
      announced === undefined || isSelected
        ? readStream(answer, { limit, useful, announced }, isSelected ? new Selector(selection) : new Whole())
        : readAnnounced(answer, announced)
    return Effect.map(text, (text) => ({ status, headers, text }))
  })

/**
 * Until there is room for an answer and what is made of it, it is not read: large ones follow each other, so that neither
 * memory nor others wait for many.
 */
const takeFor = (room: Room, bytes: number) => room.take(2 * bytes)
const settleFor = (room: Room, bytes: number) => room.settle(2 * bytes)

/** What an answer is counted as of which nobody knows how much will be kept, once it is longer than most. */
const unknown = 4 * 1024 * 1024

/** Bytes up to which an answer of unknown length takes no room: whoever answers so may be slow to go on. */
const uncounted = 32 * 1024

/** An answer that is read faster than searched. */
const small = 256 * 1024

/** The number of bytes that will come, where the upstream says so and means the text itself. */
const announcedBytes = (headers: Headers.Headers): number | undefined => {
  const length = Option.getOrElse(Headers.get(headers, "content-length"), () => "")
  return /^\d+$/.test(length) && !Headers.has(headers, "content-encoding") ? Number(length) : undefined
}

const isJson = (headers: Headers.Headers) =>
  /json/i.test(Option.getOrElse(Headers.get(headers, "content-type"), () => ""))

/** A text whose bytes come in pieces. */
class Whole {
  bytes = 0
  private decoder = new TextDecoder()
  private decoded = ""

  push(bytes: Uint8Array) {
    this.bytes += bytes.byteLength
    this.decoded += this.decoder.decode(bytes, { stream: true })
  }

  get text() {
    return this.decoded + this.decoder.decode()
  }
}

/** Where the length is known, the text comes in one piece. */
const readAnnounced = (answer: Answer, announced: number) =>
  withReference(MemoryBudget, (room) =>
    Effect.andThen(
      takeFor(room, announced),
      Effect.map(
        Effect.suspend(() => answer.text),
        (text) => {
          settleFor(room, announced)
          return text
        }
      )
    )
  )

interface Limits {
  readonly limit: number
  readonly useful: number
  readonly announced: number | undefined
}

const readStream = Effect.fnUntraced(function* (
  { stream }: Answer,
  { announced, limit, useful }: Limits,
  kept: Whole | Selector
) {
  const room = yield* MemoryBudget
  let bytes = 0
  let counted = announced === undefined ? 0 : Math.min(announced, unknown)
  if (counted > 0) yield* takeFor(room, counted)
  const take = (chunk: Uint8Array): Effect.Effect<void, MoreThanUseful | ReplyTooLarge> => {
    bytes += chunk.byteLength
    if (bytes > limit) return Effect.fail(new ReplyTooLarge({ limit }))
    kept.push(chunk)
    if (kept.bytes > useful) return Effect.fail(new MoreThanUseful({ bytes: kept.bytes }))
    if (bytes <= uncounted || kept.bytes <= counted) return Effect.void
    counted = Math.max(kept.bytes, unknown)
    return takeFor(room, counted)
  }
  yield* Stream.runForEach(stream, take)
  settleFor(room, kept.bytes)
  return kept.text
})
