import { Effect, Result, Schema } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

/** The engine refuses a call: an HTTP status of 400 or more, and the text of its `message`. */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  status: Schema.Int,
  message: Schema.String
}) {}

export const badRequest = (message: string) => new Refusal({ status: 400, message })

export const conflict = (message: string) => new Refusal({ status: 409, message })

/** Nothing has this id. */
export const notFound = (message = "Not Found") => new Refusal({ status: 404, message })

/** A body is longer than an engine reads: 16 MiB. */
class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {}) {}

/** A body is announced as JSON and is not; `problem` is the parser's message. */
class MalformedBody extends Schema.TaggedError<MalformedBody>()("MalformedBody", { problem: Schema.String }) {}

const limit = 16 * 1024 * 1024

/** The whole body as text. */
export const bodyOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const bytes = yield* Effect.orDie(request.arrayBuffer)
  return bytes.byteLength > limit ? yield* new BodyTooLarge() : new TextDecoder().decode(bytes)
})

/** The media type that a request announces, without its parameters. */
export const mediaTypeOf = ({ headers }: HttpServerRequest.HttpServerRequest): string | undefined =>
  headers["content-type"]?.split(";")[0]?.trim().toLowerCase()

/** The value of a JSON text; an empty one counts as an empty object. */
export const parse = (text: string): Result.Result<unknown, MalformedBody> =>
  Result.try({
    try: (): unknown => (text === "" ? {} : JSON.parse(text)),
    catch: (error) => new MalformedBody({ problem: error instanceof Error ? error.message : "" })
  })

/** The values of the variable segments when a path matches a pattern, letter case aside, or nothing. */
export const match = (pattern: string, path: string): ReadonlyMap<string, string> | undefined => {
  const wanted = pattern.split("/")
  const given = path.replace(/(?<=.)\/$/, "").split("/")
  if (wanted.length !== given.length) return undefined
  const variables = new Map<string, string>()
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? ""
    if (segment.startsWith(":") && value !== "") variables.set(segment.slice(1), decodeSegment(value))
    else if (segment.toLowerCase() !== value.toLowerCase()) return undefined
  }
  return variables
}

/** One segment of a path, decoded; a badly encoded one stays as it is. */
export const decodeSegment = (segment: string): string =>
  new URLSearchParams(`_=${segment.replace(/[+&]/g, encodeURIComponent)}`).get("_") ?? segment

/** An answer of the API. */
export const json = (status: number, body: unknown) =>
  HttpServerResponse.text(JSON.stringify(body), { status, contentType: "application/json; charset=utf-8" })

/** A page of the web framework under an engine, which answers before the API has seen the request. */
export const page = (status: number, text: string) =>
  HttpServerResponse.text(
    [
      "<!DOCTYPE html>",
      `<html lang="en">`,
      "<head>",
      `<meta charset="utf-8">`,
      "<title>Error</title>",
      "</head>",
      "<body>",
      `<pre>${text}</pre>`,
      "</body>",
      "</html>",
      ""
    ].join("\n"),
    { status, contentType: "text/html; charset=utf-8" }
  )
