import { Data, Effect, Exit, Predicate, Scope, Stream } from "effect"
import { Headers, HttpClient, type HttpClientError } from "effect/http"

import { secretHeaders, toClientRequest, type UpstreamRequest } from "./request.ts"

/** An answer whose head has come, and whose body is read once: in one piece, or in many. */
export interface Answer {
  readonly status: number
  readonly headers: Headers.Headers
  readonly text: Effect.Effect<string, TransportError>
  readonly stream: Stream.Stream<Uint8Array, TransportError>
  /** Ends it. What was not read by then is cut off with its connection. */
  readonly close: Effect.Effect<void>
}

/** No answer came, or not all of it; the cause knows more. */
export class TransportError extends Data.TaggedError("TransportError")<{ readonly cause: unknown }> {}

/** The way of a request out of this process. Every status is an answer, redirects too; who stops waiting cuts it off. */
export interface Transport {
  readonly execute: (request: UpstreamRequest, url: URL) => Effect.Effect<Answer, TransportError>
}

/** A client that has a shorter way for those who need no more of it than a transport. */
export interface TransportClient extends HttpClient.HttpClient {
  readonly transport: Transport
}

/** The client's own transport, or one over the client. */
export const of = (client: HttpClient.HttpClient): Transport =>
  hasTransport(client) ? client.transport : over(HttpClient.withScope(client))

const hasTransport = (client: HttpClient.HttpClient): client is TransportClient =>
  Predicate.hasProperty(client, "transport")

const over = (client: HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope>): Transport => ({
  execute: (request, url) =>
    Effect.suspend(() => {
      const scope = Scope.makeUnsafe()
      const close = Scope.close(scope, Exit.void)
      return client.execute(toClientRequest(request, url)).pipe(
        Effect.mapBoth({
          onSuccess: ({ headers, status, stream, text }): Answer => ({
            status,
            headers,
            text: Effect.mapError(text, failed),
            stream: stream.pipe(
              Stream.catchIf(isEmpty, () => Stream.empty),
              Stream.mapError(failed)
            ),
            close
          }),
          onFailure: failed
        }),
        Effect.onError(() => close),
        Effect.provideService(Scope.Scope, scope),
        Effect.updateService(Headers.CurrentRedactedNames, (names) => [...names, ...secretHeaders(request)]),
        Effect.provideService(HttpClient.TracerPropagationEnabled, false)
      )
    })
})

const failed = (cause: unknown) => new TransportError({ cause })

const isEmpty = ({ reason }: HttpClientError.HttpClientError) => reason._tag === "EmptyBodyError"
