import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"

import { NodeHttpIncomingMessage } from "@effect/platform-node/NodeHttpIncomingMessage"
import { Effect, Pipeable } from "effect"
import {
  Cookies,
  Headers,
  HttpClientError,
  type HttpClientRequest,
  HttpClientResponse,
  HttpIncomingMessage
} from "effect/http"

import { textOf } from "./nodeAnswers.ts"

/** An answer whose body is read once: as a text in one piece, or as a stream. */
export class NodeResponse
  extends NodeHttpIncomingMessage<HttpClientError.HttpClientError>
  implements HttpClientResponse.HttpClientResponse
{
  readonly [HttpClientResponse.TypeId]: typeof HttpClientResponse.TypeId
  readonly request: HttpClientRequest.HttpClientRequest
  readonly url: string
  readonly body: Readable
  private readonly known: Headers.Headers

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
    this.known = Headers.fromInput(answer.headers)
  }

  get status() {
    return this.source.statusCode ?? 0
  }

  override get headers() {
    return this.known
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
