import { ByteSize, Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"

import * as TimeLimit from "../../internal/http/TimeLimit.ts"
import { largestMessage } from "./json.ts"
import type { Share } from "./memory.ts"

/** The body of a request is not one that is read; `status` is HTTP's word for why. */
export class BodyRefused extends Schema.TaggedError<BodyRefused>()("BodyRefused", {
  status: Schema.Literals([408, 413, 415, 503]),
  message: Schema.String
}) {}

const tooLarge = new BodyRefused({ status: 413, message: `A body is at most ${largestMessage} bytes` })
const encoded = new BodyRefused({ status: 415, message: "A body comes without Content-Encoding" })

/** What a body whose size is not told is counted as while it comes. */
const unannounced = 1024 * 1024

const noRoom = new BodyRefused({
  status: 503,
  message: "The server holds as much as it can. Nothing was begun: try again in a moment"
})
const tooSlow = new BodyRefused({ status: 408, message: "The body did not come in time" })

/** Reads the bytes of a body, once there is room for them; one that is too large is not read to its end. */
export const makeReader = Effect.gen(function* () {
  const inTime = yield* TimeLimit.make

  return (
    { arrayBuffer, headers }: HttpServerRequest.HttpServerRequest,
    share: Share
  ): Effect.Effect<Uint8Array, BodyRefused> => {
    if ((headers["content-encoding"] ?? "identity") !== "identity") return Effect.fail(encoded)
    const length = Number(headers["content-length"] ?? unannounced)
    if (length > largestMessage) return Effect.fail(tooLarge)
    const bytes = arrayBuffer.pipe(
      Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(largestMessage)),
      Effect.mapBoth({
        onSuccess: (buffer) => {
          share.settle(buffer.byteLength)
          return new Uint8Array(buffer)
        },
        // Apart from its size only a broken connection stops a body, and then nobody reads the answer.
        onFailure: () => tooLarge
      })
    )
    return Effect.andThen(
      inTime(share.take(length), 10_000, () => noRoom),
      inTime(bytes, 30_000, () => tooSlow)
    )
  }
})
