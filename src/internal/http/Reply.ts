import { Effect, Option, type Semaphore, Stream } from "effect"
import { Headers } from "effect/http"

import { type Selection, Selector } from "../json/Selection.ts"
import { MemoryBudget, oneUpstream, UsefulBytes } from "./MemoryBudget.ts"
import type { Answer, Take, TransportError } from "./Transport.ts"
import { MoreThanUseful, ReplyTooLarge } from "./UpstreamFailure.ts"

/** An answer, read to its end. */
export interface Reply {
  readonly status: number
  readonly headers: Headers.Headers
  readonly text: string
}

interface ReadOptions {
  /** Most bytes, counted after decompression. */
  readonly limit: number
  /** Of large JSON only this is kept. */
  readonly selection: Selection | undefined
  readonly take: Take | undefined
  /** Bytes that may be on their way from the upstream, of answers that are counted. */
  readonly underWay: Semaphore.Semaphore
}

/** Reads an answer to its end, and no further than the limit. */
export const readReply = (
  answer: Answer,
  { limit, selection = "whole", take, underWay }: ReadOptions
): Effect.Effect<Reply, TransportError | MoreThanUseful | ReplyTooLarge> =>
  Effect.flatMap(UsefulBytes, (most) => {
    const { headers, status } = answer
    const announced = announcedBytes(headers)
    const isLarge = (announced ?? Infinity) > small
    const isSelected = selection !== "whole" && status < 300 && isJson(headers) && (isLarge || take !== undefined)
    const useful = status < 300 ? most : Infinity
    if (announced !== undefined && announced > useful && !isSelected) {
      return Effect.fail(new MoreThanUseful({ bytes: announced }))
    }
    if (announced !== undefined && announced > limit) return Effect.fail(new ReplyTooLarge({ limit }))
    const text =
      announced === undefined || isSelected
        ? readStream(
            answer,
            { limit, useful, announced, underWay, take },
            isSelected ? new Selector(selection) : new TextDecoding()
          )
        : readAnnounced(answer, announced, underWay)
    return Effect.map(text, (text) => ({ status, headers, text }))
  })

/**
 * Bytes up to which an answer is not counted. Of others and what is made of them nothing is read until there is room: large
 * ones follow each other, so that neither memory nor others wait for many.
 */
const uncounted = 32 * 1024

/** The assumed size of an answer of which nobody knows how much will be kept. */
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
class TextDecoding {
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

/** The text of an answer of known length, in one piece. */
const readAnnounced = (answer: Answer, announced: number, underWay: Semaphore.Semaphore) => {
  const text = Effect.suspend(() => answer.text)
  if (announced <= uncounted) return text
  const counted = Effect.flatMap(MemoryBudget, (room) =>
    Effect.andThen(
      room.take(2 * announced),
      Effect.map(text, (text) => {
        room.settle(2 * announced)
        return text
      })
    )
  )
  return underWay.withPermits(Math.min(2 * announced, oneUpstream))(counted)
}

interface Limits extends Pick<ReadOptions, "limit" | "take" | "underWay"> {
  readonly useful: number
  readonly announced: number | undefined
}

const readStream = Effect.fnUntraced(function* (
  { stream }: Answer,
  { announced, limit, take, underWay, useful }: Limits,
  kept: TextDecoding | Selector
) {
  const room = yield* MemoryBudget
  let bytes = 0
  let counted = 0
  let onItsWay = 0

  /** Once only, or what has come in part could wait for more that has come in part. */
  const enter = (bytes: number) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.map(restore(underWay.take(bytes)), () => {
        onItsWay = bytes
      })
    )
  const leave = Effect.suspend(() => (onItsWay === 0 ? Effect.void : underWay.release(onItsWay)))
  const count = (bytes: number) => {
    counted = bytes
    const taken = room.take(2 * bytes)
    return onItsWay === 0 ? Effect.andThen(enter(Math.min(2 * bytes, oneUpstream)), taken) : taken
  }

  const push = (chunk: Uint8Array): Effect.Effect<void, MoreThanUseful | ReplyTooLarge> => {
    bytes += chunk.byteLength
    if (bytes > limit) return Effect.fail(new ReplyTooLarge({ limit }))
    kept.push(chunk)
    if (kept.bytes > useful) return Effect.fail(new MoreThanUseful({ bytes: kept.bytes }))
    const taken = take === undefined || kept instanceof TextDecoding ? Effect.void : take(kept.takeHanded())
    return bytes <= uncounted || kept.bytes <= counted
      ? taken
      : Effect.andThen(count(Math.max(kept.bytes, unknown)), taken)
  }
  const begun = announced === undefined ? Effect.void : count(Math.min(announced, unknown))
  yield* Effect.ensuring(Effect.andThen(begun, Stream.runForEach(stream, push)), leave)
  room.settle(2 * kept.bytes)
  return kept.text
})
