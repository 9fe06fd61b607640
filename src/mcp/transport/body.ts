import { ByteSize, Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"

import type { Share } from "../../internal/http/MemoryBudget.ts"
import { makeClock } from "../../internal/time.ts"
import { largestMessage } from "./readMessage.ts"

/** The body of a request cannot be read; `status` is the HTTP status. */
class BodyRefused extends Schema.TaggedError<BodyRefused>()("BodyRefused", {
  status: Schema.Literals([408, 413, 415, 503]),
  message: Schema.String
}) {}

const tooLarge = new BodyRefused({ status: 413, message: `A body is at most ${largestMessage} bytes` })
const encoded = new BodyRefused({ status: 415, message: "A body comes without Content-Encoding" })

/** The assumed size of a body without a length, while it is received. */
const unannounced = 1024 * 1024

const noRoom = new BodyRefused({
  status: 503,
  message: "The server holds as much as it can. Nothing was begun: try again in a moment"
})
const tooSlow = new BodyRefused({ status: 408, message: "The body did not come in time" })

/**
 * Reads a body of limited size, and calls back once at its end; `broken` also means too large. Returns a function that stops
 * it.
 */
type ReadBody = (most: number, onEnd: (end: Uint8Array | "broken") => void) => () => void

/** Shorter ways to read bodies than `HttpServerRequest.arrayBuffer`; undefined if there is none for a request. */
export type BodyReaders = (request: HttpServerRequest.HttpServerRequest) => ReadBody | undefined

/** Reads the bytes of a body once there is room for them; one that is too large is not read to its end. */
export const makeReader = Effect.fnUntraced(function* (readers: BodyReaders = () => undefined) {
  const inTime = yield* makeClock

  const buffered = ({ arrayBuffer }: HttpServerRequest.HttpServerRequest) =>
    inTime.limit(
      arrayBuffer.pipe(
        Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(largestMessage)),
        Effect.mapBoth({
          onSuccess: (buffer) => new Uint8Array(buffer),
          // Except for its size, only a broken connection stops a body, and then nobody reads the answer.
          onFailure: () => tooLarge
        })
      ),
      longestWait,
      () => tooSlow
    )

  const bytesOf = (request: HttpServerRequest.HttpServerRequest) => {
    const read = readers(request)
    if (read === undefined) return buffered(request)
    return inTime.callback<Uint8Array, BodyRefused, BodyRefused>(
      (resume) => read(largestMessage, (end) => resume(end === "broken" ? Effect.fail(tooLarge) : Effect.succeed(end))),
      longestWait,
      () => tooSlow
    )
  }

  return (request: HttpServerRequest.HttpServerRequest, share: Share): Effect.Effect<Uint8Array, BodyRefused> => {
    const { headers } = request
    if ((headers["content-encoding"] ?? "identity") !== "identity") return Effect.fail(encoded)
    const length = Number(headers["content-length"] ?? unannounced)
    if (length > largestMessage) return Effect.fail(tooLarge)
    const bytes = Effect.map(bytesOf(request), (bytes) => {
      share.settle(bytes.byteLength)
      return bytes
    })
    return share.takeNow(length)
      ? bytes
      : Effect.andThen(
          inTime.limit(share.take(length), 10_000, () => noRoom),
          bytes
        )
  }
})

/** Milliseconds for receiving a body. */
const longestWait = 30_000
