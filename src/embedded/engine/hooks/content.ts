import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"

import { mediaTypeOf, parse, bodyOf } from "../wire/body.ts"

/** What was sent to a trigger: a value for JSON, fields for forms, text for anything else. */
export const contentOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  switch (mediaTypeOf(request)) {
    case "multipart/form-data":
      return yield* fieldsOf(request)
    case "application/x-www-form-urlencoded":
      return Object.fromEntries(new URLSearchParams(yield* bodyOf(request)))
    case "application/json":
      return yield* Effect.fromResult(parse(yield* bodyOf(request)))
    default: {
      const text = yield* bodyOf(request)
      return text === "" ? {} : text
    }
  }
})

/** The texts of a form with several parts; files are passed over. */
const fieldsOf = (request: HttpServerRequest.HttpServerRequest) =>
  request.multipartStream.pipe(
    Stream.mapEffect((part) =>
      part._tag === "Field"
        ? Effect.succeed([[part.key, part.value] as const])
        : Effect.as(Stream.runDrain(part.content), [])
    ),
    Stream.runCollect,
    Effect.map((fields) => Object.fromEntries<unknown>(fields.flat())),
    Effect.orDie
  )
