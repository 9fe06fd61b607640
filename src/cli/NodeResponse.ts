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
    return Effect.callback((resume) => {
      const { body } = this
      const chunks: Array<Uint8Array> = []
      let isWhole = false
      const end = () => {
        const [first] = chunks
        const bytes = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
        resume(Effect.succeed(new TextDecoder().decode(bytes)))
      }
      // An error is made only where it is one: every body that was read closes, too.
      const fail = () => (isWhole ? undefined : resume(Effect.fail(this.onError(body.errored))))
      if (body.destroyed) return fail()
      body
        .on("data", (chunk: Uint8Array) => chunks.push(chunk))
        .on("error", fail)
        .on("close", fail)
      // One moment later the connection is free, so that what follows goes over it.
      body.on("end", () => {
        isWhole = true
        process.nextTick(end)
      })
    })
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
