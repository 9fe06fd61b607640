import { Effect, Result, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"

/** A body is longer than an engine reads: 16 MiB. */
export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {}) {}

/** A body says that it is JSON and is not; `problem` tells where it stops being that. */
export class MalformedBody extends Schema.TaggedError<MalformedBody>()("MalformedBody", { problem: Schema.String }) {}

const limit = 16 * 1024 * 1024

/** The whole body as text. */
export const bodyOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const bytes = yield* Effect.orDie(request.arrayBuffer)
  return bytes.byteLength > limit ? yield* new BodyTooLarge() : new TextDecoder().decode(bytes)
})

/** The kind of content that a request announces, without its parameters. */
export const mediaTypeOf = ({ headers }: HttpServerRequest.HttpServerRequest): string | undefined =>
  headers["content-type"]?.split(";")[0]?.trim().toLowerCase()

/** The value of a JSON text; an empty one counts as an empty object. */
export const parse = (text: string): Result.Result<unknown, MalformedBody> =>
  Result.try({
    try: (): unknown => (text === "" ? {} : JSON.parse(text)),
    catch: (error) => new MalformedBody({ problem: error instanceof Error ? error.message : "" })
  })
