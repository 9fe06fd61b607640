import { Context, Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

import { elsewhere, routes } from "./routes.ts"
import { Runner } from "./run/Runner.ts"
import { plant } from "./seed/plant.ts"
import { Edition, type Version } from "./store/Edition.ts"
import { Journal, type JournalError } from "./store/Journal.ts"
import { Store } from "./store/Store.ts"
import { page } from "./wire/replies.ts"

export interface EmbeddedEngineOptions {
  /** Which engine it behaves like, in words, shapes and time; 1.82.3 when nothing is said. */
  readonly version?: Version
  /** The one key it takes; `embedded` when nothing is said. */
  readonly apiKey?: string
  /** Whether a new one begins with a few workflows that look like people's own. */
  readonly seed?: boolean
}

/** A workflow engine inside this process, behind the wire of a real one. */
export class EmbeddedEngine extends Context.Service<
  EmbeddedEngine,
  {
    /** Every request reaches the engine, whatever host it names; no socket is opened. */
    readonly httpClient: HttpClient.HttpClient
    /** A base URL that `httpClient` answers. */
    readonly host: string
    readonly apiKey: Redacted.Redacted
    /** The same engine on somebody's router. */
    readonly routes: Layer.Layer<never, never, HttpRouter.HttpRouter>
  }
>()("workflow-tool-server/embedded/engine/EmbeddedEngine") {
  /** Keeps what is written in the journal, and starts with what is written there. Fails when that cannot be read. */
  static readonly layerStore = (
    options: EmbeddedEngineOptions = {}
  ): Layer.Layer<EmbeddedEngine, JournalError, Journal> =>
    Layer.effect(EmbeddedEngine, make(options.seed === true)).pipe(
      Layer.provide(Runner.layer),
      Layer.provide(Store.layer),
      Layer.provide(edition(options))
    )

  /** Forgets everything when its scope is closed. */
  static readonly layer = (options?: EmbeddedEngineOptions): Layer.Layer<EmbeddedEngine> =>
    EmbeddedEngine.layerStore(options).pipe(Layer.provide(Journal.layerNone), Layer.orDie)
}

const edition = ({ apiKey = "embedded", version = "1.82.3" }: EmbeddedEngineOptions) =>
  Layer.succeed(Edition, { version, isSecond: version === "2.41.1", apiKey: Redacted.make(apiKey) })

const make = Effect.fnUntraced(function* (isSeeded: boolean) {
  if (isSeeded) yield* plant
  const { apiKey } = yield* Edition
  const context = yield* Effect.context<Edition | Runner | Store>()
  const own = Layer.provide(routes, Layer.succeedContext(context))
  const handle = yield* HttpRouter.toHttpEffect(Layer.merge(own, elsewhere))
  const httpClient = HttpClient.make((request) =>
    received(request).pipe(
      Effect.flatMap((arrived) => Effect.provideService(handle, HttpServerRequest.HttpServerRequest, arrived)),
      Effect.catchTags({ HttpServerError: () => Effect.succeed(malformed), UrlError: Effect.die }),
      Effect.scoped,
      Effect.map((response) => HttpServerResponse.toClientResponse(response, { request }))
    )
  )
  return EmbeddedEngine.of({ httpClient, host: "http://127.0.0.1:5678", apiKey, routes: own })
})

/** What is said to an address that no router can read. */
const malformed = page(400, "Bad Request")

/** A request as it arrives. A form is given its boundary by whoever sends it, which nobody does here. */
const received = (request: HttpClientRequest.HttpClientRequest) =>
  request.body._tag === "FormData"
    ? Effect.map(HttpClientRequest.toWeb(request), HttpServerRequest.fromWeb)
    : Effect.succeed(HttpServerRequest.fromClientRequest(request))
