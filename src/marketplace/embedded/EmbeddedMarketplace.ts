import { Context, DateTime, Effect, Layer, Redacted, Ref } from "effect"
import { HttpClient, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

import { onOwnRouter } from "../../internal/http/onOwnRouter.ts"
import { dispatch, type Limits } from "./dispatch.ts"
import { makeOn, type Wire } from "./Endpoint.ts"
import { reads } from "./reads.ts"
import { pathNotFound, toResponse } from "./Reply.ts"
import { seed } from "./seed.ts"
import { type State, withoutGone } from "./State.ts"
import { statistics } from "./statistics.ts"
import { writes } from "./writes.ts"

/** How an embedded marketplace differs from the default. */
export interface EmbeddedMarketplaceOptions {
  /** Which form the disputed bodies have; `spec` by default. */
  readonly wire?: Wire
  /** The only key it accepts; `defaultKey` by default. */
  readonly apiKey?: string
  /** The rate limits: those of a personal key (`full`) or of a base key, or none; `full` by default. */
  readonly limits?: Limits
  /** The account it starts with; by default a small one halfway through the migration to manual bids. */
  readonly account?: State
}

/** Clients redact their key in answers, so this one does not occur in any other text. */
export const defaultKey = "embedded-marketplace-key-4c1f6e0b9a7d2358"

/** The advertising part of a marketplace inside this process, which answers like the real one. */
export class EmbeddedMarketplace extends Context.Service<
  EmbeddedMarketplace,
  {
    /** Every request reaches the marketplace, whatever host it names; no socket is opened. */
    readonly httpClient: HttpClient.HttpClient
    /** A base URL that `httpClient` answers. */
    readonly host: string
    readonly apiKey: Redacted.Redacted
    /** The same marketplace, to be added to a router. */
    readonly routes: Layer.Layer<never, never, HttpRouter.HttpRouter>
    /** The current account. */
    readonly account: Effect.Effect<State>
  }
>()("workflow-tool-server/embedded/marketplace/EmbeddedMarketplace") {
  /** Its state is gone when its scope is closed. */
  static readonly layer = (options: EmbeddedMarketplaceOptions = {}): Layer.Layer<EmbeddedMarketplace> =>
    Layer.effect(EmbeddedMarketplace, make(options))
}

const make = Effect.fnUntraced(function* (options: EmbeddedMarketplaceOptions) {
  const key = options.apiKey ?? defaultKey
  const state = yield* Ref.make(options.account ?? seed)
  const answer = dispatch({ key, state, limits: options.limits ?? "full" })
  const { wire = "spec" } = options
  const on = makeOn(wire)
  const routes = HttpRouter.addAll(
    [...reads(on), ...statistics(on), ...writes(on, wire)].map((endpoint) =>
      HttpRouter.route(endpoint.method, endpoint.path, (request) => answer(endpoint, request))
    )
  )
  const elsewhere = HttpRouter.add(
    "*",
    "/*",
    Effect.map(DateTime.now, (now) => toResponse(pathNotFound(now)))
  )
  const handle = yield* onOwnRouter(Layer.merge(routes, elsewhere))
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
