import { Effect, Option, Stream } from "effect"
import { Headers } from "effect/http"

import type { Selection } from "../json/Selection.ts"
import { Selector } from "../json/Selector.ts"
import { withReference } from "../withReference.ts"
import { MemoryBudget, UsefulBytes } from "./MemoryBudget.ts"
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
    const room = takeFor(Math.min(announced ?? unknown, isSelected ? unknown : Infinity))
    const text =
      announced === undefined || isSelected
        ? readStream(answer, { limit, useful }, isSelected ? new Selector(selection) : new Whole())
        : Effect.suspend(() => answer.text)
    return Effect.map(Effect.andThen(room, text), (text) => ({ status, headers, text }))
  })

/**
 * Until there is room for an answer and what is made of it, it is not read: large ones follow each other, so that neither
 * memory nor others wait for many.
 */
const takeFor = (bytes: number) => withReference(MemoryBudget, (take) => take(2 * bytes))

/** What an answer is counted as of which nobody knows how much will be kept. */
const unknown = 4 * 1024 * 1024

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

const readStream = Effect.fnUntraced(function* (
  { stream }: Answer,
  { limit, useful }: { readonly limit: number; readonly useful: number },
  kept: Whole | Selector
) {
  let bytes = 0
  const take = (chunk: Uint8Array): Effect.Effect<void, MoreThanUseful | ReplyTooLarge> => {
    bytes += chunk.byteLength
    if (bytes > limit) return Effect.fail(new ReplyTooLarge({ limit }))
    kept.push(chunk)
    if (kept.bytes > useful) return Effect.fail(new MoreThanUseful({ bytes: kept.bytes }))
    return kept.bytes > unknown ? takeFor(kept.bytes) : Effect.void
  }
  yield* Stream.runForEach(stream, take)
  return kept.text
})
