import { Effect, Redacted } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

import { keyHeaders } from "../../workflow/naming.ts"
import { Store } from "../store/Store.ts"
import { badRequest, bodyOf, json, match, mediaTypeOf, notFound, page, parse, Refusal } from "../wire/http.ts"
import { firstProblem } from "../wire/shapes.ts"
import { type Body, type Call, Dialect, type Messages } from "./Dialect.ts"

type Request = HttpServerRequest.HttpServerRequest

const [, keyHeader] = keyHeaders
const root = "/api/v1"

/**
 * Answers requests below `/api/v1` that have the key. The order of the checks is the engine's: body, path, method, key, content
 * type, query, shape of the body; then those of the endpoint.
 */
export const dispatch = (apiKey: Redacted.Redacted) =>
  Effect.fnUntraced(
    function* (request: Request) {
      const text = yield* bodyOf(request)
      const body = yield* Effect.fromResult(parse(mediaTypeOf(request) === "application/json" ? text : ""))
      const [path = "", query = ""] = request.url.slice(root.length).split("?")

      const { answersHeadAndOptions, endpoints, messages, readQuery } = yield* Dialect
      const routes = endpoints.flatMap((endpoint) => {
        const variables = match(endpoint.path, path)
        return variables === undefined ? [] : [{ endpoint, variables }]
      })
      if (routes.length === 0) return yield* notFound("not found")
      const methods = routes.map(({ endpoint }) => endpoint.method)
      if (answersHeadAndOptions && request.method === "OPTIONS") return options(methods)
      const method = answersHeadAndOptions && request.method === "HEAD" ? "GET" : request.method
      const route = routes.find(({ endpoint }) => endpoint.method === method)
      if (route === undefined) {
        return yield* new Refusal({ status: 405, message: `${request.method} method not allowed` })
      }
      const { endpoint, variables } = route

      yield* checkKey(request, apiKey, messages)
      if (endpoint.body !== undefined) yield* checkType(request, endpoint.body, text)
      const call: Call = {
        at: (name) => variables.get(name) ?? "",
        query: yield* Effect.fromResult(readQuery(endpoint.query, query)),
        body
      }
      const problem = endpoint.body && firstProblem(messages, endpoint.body.shape, body, "request/body")
      if (problem !== undefined) return yield* badRequest(problem)

      const { exclusive } = yield* Store
      const isAlone = endpoint.method !== "GET" && endpoint.takesTurns !== true
      const reply = yield* isAlone ? exclusive(endpoint.run(call)) : endpoint.run(call)
      return json(reply.status, reply.body)
    },
    Effect.catchTags({
      BodyTooLarge: () => Effect.succeed(page(413, "Payload Too Large")),
      MalformedBody: () => Effect.succeed(page(500, "Internal Server Error")),
      Refusal: ({ message, status }) => Effect.succeed(json(status, { message }))
    })
  )

const options = (methods: ReadonlyArray<string>) =>
  HttpServerResponse.text(
    [...methods]
      .sort()
      .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
      .join(", ")
  )

const checkKey = ({ headers }: Request, apiKey: Redacted.Redacted, { unauthorized }: Messages) => {
  const given = headers[keyHeader.toLowerCase()] ?? ""
  return given === Redacted.value(apiKey)
    ? Effect.void
    : Effect.fail(new Refusal({ status: 401, message: unauthorized(given) }))
}

const checkType = (request: Request, { isOptional }: Body, text: string) => {
  const type = mediaTypeOf(request)
  return type === "application/json" || (isOptional === true && text === "")
    ? Effect.void
    : Effect.fail(new Refusal({ status: 415, message: `unsupported media type ${type}` }))
}
