import { ByteSize, Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"

import { largestMessage } from "./json.ts"

/** The body of a request is not one that is read; `status` is HTTP's word for why. */
export class BodyRefused extends Schema.TaggedError<BodyRefused>()("BodyRefused", {
  status: Schema.Literals([413, 415]),
  message: Schema.String
}) {}

const tooLarge = new BodyRefused({ status: 413, message: `A body is at most ${largestMessage} bytes` })
const encoded = new BodyRefused({ status: 415, message: "A body comes without Content-Encoding" })

/** The bytes of the body; one that is too large is not read to its end. */
export const readBody = Effect.fnUntraced(function* ({ arrayBuffer, headers }: HttpServerRequest.HttpServerRequest) {
  if ((headers["content-encoding"] ?? "identity") !== "identity") return yield* encoded
  if (Number(headers["content-length"] ?? 0) > largestMessage) return yield* tooLarge
  return yield* arrayBuffer.pipe(
    Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(largestMessage)),
    // Apart from its size only a broken connection stops a body, and then nobody reads the answer.
    Effect.mapBoth({ onSuccess: (buffer) => new Uint8Array(buffer), onFailure: () => tooLarge })
  )
})
