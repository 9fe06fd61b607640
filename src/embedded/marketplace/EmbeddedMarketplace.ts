import { Context, DateTime, Effect, Layer, Redacted, Ref } from "effect"
import { HttpClient, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

import { dispatch, type Limits } from "./dispatch.ts"
import { endpoints } from "./endpoints.ts"
import { pathNotFound, toResponse } from "./Reply.ts"
import { seed } from "./seed.ts"
import type { Wire } from "./shapes.ts"
import { type State, withoutGone } from "./State.ts"

export interface EmbeddedMarketplaceOptions {
  /** Which form its two disputed bodies have; `spec` when nothing is said. */
  readonly wire?: Wire
  /** The one key it takes; `defaultKey` when nothing is said. */
  readonly apiKey?: string
  /** Which limits it holds its callers to: those of a personal or of a base key, or none; `full` when nothing is said. */
  readonly limits?: Limits
  /** The account it begins with; a small one in the middle of the move when nothing is said. */
  readonly account?: State
}

/** Clients hide their key wherever an answer repeats it: this one is no part of any text that a person would write. */
export const defaultKey = "embedded-marketplace-key-4c1f6e0b9a7d2358"

/** The advertising part of a marketplace inside this process, behind the wire of the real one. */
export class EmbeddedMarketplace extends Context.Service<
  EmbeddedMarketplace,
  {
    /** Every request reaches the marketplace, whatever host it names; no socket is opened. */
    readonly httpClient: HttpClient.HttpClient
    /** A base URL that `httpClient` answers. */
    readonly host: string
    readonly apiKey: Redacted.Redacted
    /** The same marketplace on somebody's router. */
    readonly routes: Layer.Layer<never, never, HttpRouter.HttpRouter>
    /** Everything it knows, at this moment. */
    readonly account: Effect.Effect<State>
  }
>()("workflow-tool-server/embedded/marketplace/EmbeddedMarketplace") {
  /** Forgets everything when its scope is closed. */
  static readonly layer = (options: EmbeddedMarketplaceOptions = {}): Layer.Layer<EmbeddedMarketplace> =>
    Layer.effect(EmbeddedMarketplace, make(options))
}

const make = Effect.fnUntraced(function* (options: EmbeddedMarketplaceOptions) {
  const key = options.apiKey ?? defaultKey
  const state = yield* Ref.make(options.account ?? seed)
  const answer = dispatch({ key, state, limits: options.limits ?? "full" })
  const routes = HttpRouter.addAll(
    endpoints(options.wire ?? "spec").map((endpoint) =>
      HttpRouter.route(endpoint.method, endpoint.path, (request) => answer(endpoint, request))
    )
  )
  const elsewhere = HttpRouter.add(
    "*",
    "/*",
    Effect.map(DateTime.now, (now) => toResponse(pathNotFound(now)))
  )
  const handle = yield* HttpRouter.toHttpEffect(Layer.merge(routes, elsewhere))
  const httpClient = HttpClient.make((request) =>
    handle.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromClientRequest(request)),
      Effect.scoped,
      Effect.orDie,
      Effect.map((response) => HttpServerResponse.toClientResponse(response, { request }))
    )
  )
  return EmbeddedMarketplace.of({
    httpClient,
    host: "http://127.0.0.1:5679",
    apiKey: Redacted.make(key),
    routes,
    account: Effect.zipWith(Ref.get(state), DateTime.now, withoutGone)
  })
})
