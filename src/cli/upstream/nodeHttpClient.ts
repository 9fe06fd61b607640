import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"

import { NodeHttpIncomingMessage } from "@effect/platform-node/NodeHttpIncomingMessage"
import { Effect, Pipeable } from "effect"
import {
  HttpClient,
  HttpClientError,
  HttpClientRequest,
  Cookies,
  Headers,
  HttpClientResponse,
  HttpIncomingMessage
} from "effect/http"

import type { ConnectionOptions } from "../../internal/http/HttpClients.ts"
import { toClientRequest, type TransportClient } from "../../internal/http/Transport.ts"
import { bodyStream, textOf, type Body, exchange, nodeTransport } from "./nodeTransport.ts"
import { type Connect, makeRoutes } from "./routes.ts"

/** A client with connections of its own until the scope ends. It follows no redirects, and unpacks answers of every status. */
export const nodeHttpClient = Effect.fnUntraced(function* (options: ConnectionOptions, connect?: Connect) {
  const routes = yield* makeRoutes(options, connect)
  const client = HttpClient.make((request, url, signal) =>
    Effect.gen(function* () {
      const failed = (cause: unknown) =>
        new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
      const { body, headers } = yield* Effect.mapError(outgoing(request), failed)
      const route = yield* routes.to(url)
      const { answer, cut } = yield* Effect.mapError(
        exchange(route, { method: request.method, url, headers, body }),
        ({ cause }) => failed(cause)
      )
      signal.addEventListener("abort", cut, { once: true })
      return new NodeResponse(request, url, answer, yield* bodyStream(answer))
    })
  )
  const formOf = (request: Parameters<typeof toClientRequest>[0], url: URL) => outgoing(toClientRequest(request, url))
  return Object.assign(client, { transport: nodeTransport(routes, formOf) }) satisfies TransportClient
})

interface Outgoing {
  readonly body: Body
  readonly headers: Readonly<Record<string, string>>
}

/** The bytes of a body, and the headers that go with it. */
const outgoing = (request: HttpClientRequest.HttpClientRequest): Effect.Effect<Outgoing, unknown> => {
  const { body, headers } = request
  if (body._tag === "Empty") return Effect.succeed({ body: undefined, headers })
  if (body._tag === "Uint8Array") return Effect.succeed({ body: body.body, headers })
  return Effect.flatMap(HttpClientRequest.toWeb(request), (web) =>
    Effect.map(
      Effect.tryPromise(() => web.arrayBuffer()),
      (bytes) => ({ body: new Uint8Array(bytes), headers: Object.fromEntries(web.headers) })
    )
  )
}

/** An answer whose body is read once: as a text in one piece, or as a stream. */
class NodeResponse
  extends NodeHttpIncomingMessage<HttpClientError.HttpClientError>
  implements HttpClientResponse.HttpClientResponse
{
  readonly [HttpClientResponse.TypeId]: typeof HttpClientResponse.TypeId
  readonly request: HttpClientRequest.HttpClientRequest
  readonly url: string
  readonly body: Readable
  private readonly answerHeaders: Headers.Headers

  constructor(request: HttpClientRequest.HttpClientRequest, url: URL, answer: IncomingMessage, body: Readable) {
    super(
      answer,
      (cause) =>
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.DecodeError({ request, response: this, cause })
        })
    )
    this[HttpClientResponse.TypeId] = HttpClientResponse.TypeId
    this.request = request
    this.url = url.href
    this.body = body
    this.answerHeaders = Headers.fromInput(answer.headers)
  }

  get status() {
    return this.source.statusCode ?? 0
  }

  override get headers() {
    return this.answerHeaders
  }

  get cookies() {
    return Cookies.fromSetCookie(this.source.headers["set-cookie"] ?? [])
  }

  protected override get bodySource() {
    return this.body
  }

  override get text(): Effect.Effect<string, HttpClientError.HttpClientError> {
    return textOf(this.body, this.onError)
  }

  get formData() {
    return Effect.flatMap(this.arrayBuffer, (bytes) =>
      Effect.tryPromise({
        try: () => new Response(bytes, { headers: this.headers }).formData(),
        catch: this.onError
      })
    )
  }

  get upgrade(): Effect.Effect<never, HttpClientError.HttpClientError> {
    const { request } = this
    const description = "this client makes no upgrades"
    return Effect.fail(
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.StatusCodeError({ request, response: this, description })
      })
    )
  }

  pipe() {
    return Pipeable.pipeArguments(this, arguments)
  }

  toJSON(): unknown {
    const { request, status } = this
    return HttpIncomingMessage.inspect(this, { _id: "HttpClientResponse", request: request.toJSON(), status })
  }
}
