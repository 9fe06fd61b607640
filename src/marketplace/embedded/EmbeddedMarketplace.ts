import { Clock, Context, DateTime, Effect, Layer, Redacted, Ref } from "effect"
import { HttpClient, HttpClientError, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

import { onOwnRouter } from "../../internal/http/onOwnRouter.ts"
import { settled } from "./budgets.ts"
import { clusters } from "./clusters.ts"
import { dispatch, type KeyKind, type Limits } from "./dispatch.ts"
import { makeOn, type Rules, type Wire } from "./Endpoint.ts"
import { money } from "./money.ts"
import { reads } from "./reads.ts"
import { pathNotFound, toResponse } from "./Reply.ts"
import { shop } from "./shop.ts"
import { type State } from "./State.ts"
import { statistics } from "./statistics.ts"
import { writes } from "./writes.ts"

/** Differences of an embedded marketplace from the default. */
export interface EmbeddedMarketplaceOptions {
  /** The form of the disputed bodies; `spec` by default. */
  readonly wire?: Wire
  /** The only key it accepts; `defaultKey` by default. */
  readonly apiKey?: string
  /** The rate limits: those of a personal key (`full`) or of a base key, or none; `full` by default. */
  readonly limits?: Limits
  /** The account it starts with; by default a shop of 60 campaigns, halfway through the migration to manual bids. */
  readonly account?: State
  /** Another number draws other statistics. */
  readonly seed?: number
  /** The kind of its key: some operations are open to personal and service keys alone. By default personal. */
  readonly keyKind?: KeyKind
  /** The steps of bids in kopecks, and the fate of a bid between two steps. By default one kopeck. */
  readonly steps?: Rules["steps"]
  readonly offStep?: Rules["offStep"]
  /** Whether phrases and search clusters are closed to the seller. */
  readonly isPhrasesClosed?: boolean
  /** Milliseconds by which what is read lags behind what was written; none by default. */
  readonly lagMs?: number
  /** Loses the answer of a request, before or after it is carried out; `count` is the number of calls of its operation so far. */
  readonly lose?: (request: { readonly operation: string; readonly count: number }) => "after" | "before" | undefined
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
  const account = options.account ?? shop(yield* Clock.currentTimeMillis)
  const state = yield* Ref.make(options.seed === undefined ? account : { ...account, seed: options.seed })
  const answer = dispatch({
    key,
    keyKind: options.keyKind ?? "personal",
    state,
    limits: options.limits ?? "full",
    rules: { steps: options.steps ?? { cpm: 1, cpc: 1 }, offStep: options.offStep ?? "kept" },
    isPhrasesClosed: options.isPhrasesClosed ?? false,
    lagMs: options.lagMs ?? 0
  })
  const { lose = () => undefined, wire = "spec" } = options
  const on = makeOn(wire)
  const routes = HttpRouter.addAll(
    [...reads(on), ...statistics(on), ...money(on), ...clusters(on), ...writes(on, wire)].map((endpoint) =>
      HttpRouter.route(endpoint.method, endpoint.path, (request) => answer(endpoint, request))
    )
  )
  const elsewhere = HttpRouter.add(
    "*",
    "/*",
    Effect.map(DateTime.now, (now) => toResponse(pathNotFound(now)))
  )
  const handle = yield* onOwnRouter(Layer.merge(routes, elsewhere))
  const counts = new Map<string, number>()
  const httpClient = HttpClient.make((request, url) => {
    const operation = `${request.method} ${url.pathname}`
    const count = (counts.get(operation) ?? 0) + 1
    counts.set(operation, count)
    const lost = lose({ operation, count })
    const failed = Effect.fail(
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.TransportError({ request, cause: Object.assign(new Error("reset"), reset) })
      })
    )
    if (lost === "before") return failed
    const answered = handle.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromClientRequest(request)),
      Effect.scoped,
      Effect.orDie,
      Effect.map((response) => HttpServerResponse.toClientResponse(response, { request }))
    )
    return lost === "after" ? Effect.andThen(answered, failed) : answered
  })
  return EmbeddedMarketplace.of({
    httpClient,
    host: "http://127.0.0.1:5679",
    apiKey: Redacted.make(key),
    routes,
    account: Effect.zipWith(Ref.get(state), DateTime.now, settled)
  })
})

/** A connection that ends after the request has left. */
const reset = { code: "ECONNRESET" }
