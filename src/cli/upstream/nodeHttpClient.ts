import { Effect } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"

import type { ConnectionOptions } from "../../internal/http/HttpClients.ts"
import { toClientRequest } from "../../internal/http/request.ts"
import type { TransportClient } from "../../internal/http/Transport.ts"
import { bodyStream } from "./nodeAnswers.ts"
import { NodeResponse } from "./NodeResponse.ts"
import { type Body, exchange, nodeTransport } from "./nodeTransport.ts"
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
