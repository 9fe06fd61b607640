import { Effect, Option, Stream } from "effect"
import { Headers, type HttpClientError, type HttpClientResponse } from "effect/http"

import { Room } from "./Room.ts"
import { ReplyTooLarge } from "./UpstreamFailure.ts"

export interface Reply {
  readonly status: number
  readonly headers: Headers.Headers
  readonly text: string
}

/** Reads a response to its end, and no further than the limit, in bytes counted after decompression. */
export const read = (response: HttpClientResponse.HttpClientResponse, limit: number) =>
  Effect.map(Effect.andThen(takeRoom(response, limit), readText(response, limit)), (text): Reply => ({
    status: response.status,
    headers: response.headers,
    text
  }))

/** Until there is room, the upstream is not read; an amount is assumed where it does not say how much will come. */
const takeRoom = (response: HttpClientResponse.HttpClientResponse, limit: number) => {
  const announced = announcedBytes(response.headers) ?? unannounced
  return announced <= limit ? takeFor(announced) : Effect.void
}

/** An answer and what is made of it: large ones follow each other, so that neither memory nor others wait for many. */
const takeFor = (bytes: number) => Effect.flatMap(Room, (take) => take(2 * bytes))

/** What an answer whose size is not told is counted as. */
const unannounced = 4 * 1024 * 1024

const readText = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number
): Effect.Effect<string, HttpClientError.HttpClientError | ReplyTooLarge> => {
  const announced = announcedBytes(response.headers)
  if (announced === undefined) return readStream(response, limit)
  return announced > limit ? Effect.fail(new ReplyTooLarge({ limit })) : response.text
}

/** The number of bytes that will come, where the upstream says so and means the text itself. */
const announcedBytes = (headers: Headers.Headers): number | undefined => {
  const length = Option.getOrElse(Headers.get(headers, "content-length"), () => "")
  return /^\d+$/.test(length) && !Headers.has(headers, "content-encoding") ? Number(length) : undefined
}

const readStream = Effect.fnUntraced(
  function* (response: HttpClientResponse.HttpClientResponse, limit: number) {
    const decoder = new TextDecoder()
    let bytes = 0
    let text = ""
    yield* Stream.runForEach(response.stream, (chunk) => {
      bytes += chunk.byteLength
      if (bytes > limit) return Effect.fail(new ReplyTooLarge({ limit }))
      text += decoder.decode(chunk, { stream: true })
      return bytes > unannounced ? takeFor(bytes) : Effect.void
    })
    return text + decoder.decode()
  },
  Effect.catchIf(
    (error) => error._tag === "HttpClientError" && error.reason._tag === "EmptyBodyError",
    () => Effect.succeed("")
  )
)
