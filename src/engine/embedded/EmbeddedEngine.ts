import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { encode as encodeBase64 } from "effect/encoding/Base64"
import { HttpClient, HttpClientRequest, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

import { onOwnRouter } from "../../internal/http/onOwnRouter.ts"
import { nodeTypesPath, releaseMeta, settingsPath } from "../workflow/naming.ts"
import { Dialect } from "./api/Dialect.ts"
import { dispatch } from "./api/dispatch.ts"
import { hooks, testHooks } from "./api/hooks.ts"
import { v1 } from "./dialects/v1/v1.ts"
import { v2 } from "./dialects/v2/v2.ts"
import { Runner } from "./run/Runner.ts"
import { seed, type SeedName } from "./seed/seed.ts"
import { Journal, type JournalError, Store } from "./store/Store.ts"
import { json, page } from "./wire/http.ts"

/** The supported versions of the engine. */
export const Version = Schema.Literals(["1.82.3", "2.41.1"])
export type Version = typeof Version.Type

const dialects = { "1.82.3": v1, "2.41.1": v2 }

/** Options of an embedded engine. */
export interface EmbeddedEngineOptions {
  /** The version to behave like; 1.82.3 by default. */
  readonly version?: Version
  /** The only key it accepts; `embedded` by default. */
  readonly apiKey?: string
  /**
   * The workflows and runs of a small company that a new engine starts with; `true` is `production`. None by default.
   */
  readonly seed?: boolean | SeedName
}

/** A workflow engine inside this process that answers like a real one. */
export class EmbeddedEngine extends Context.Service<
  EmbeddedEngine,
  {
    /** Every request reaches the engine, whatever host it names; no socket is opened. */
    readonly httpClient: HttpClient.HttpClient
    /** A base URL that `httpClient` answers. */
    readonly host: string
    readonly apiKey: Redacted.Redacted
    /** The same engine, to be added to a router. */
    readonly routes: Layer.Layer<never, never, HttpRouter.HttpRouter>
  }
>()("workflow-tool-server/embedded/engine/EmbeddedEngine") {
  /** Writes every change to the journal and starts from its entries. Fails if they cannot be read. */
  static readonly layerStore = ({
    apiKey = "embedded",
    seed: seedName = false,
    version = "1.82.3"
  }: EmbeddedEngineOptions = {}): Layer.Layer<EmbeddedEngine, JournalError, Journal> =>
    Layer.effect(EmbeddedEngine, make(Redacted.make(apiKey), seedName === true ? "production" : seedName)).pipe(
      Layer.provide(Runner.layer),
      Layer.provide(Store.layer),
      Layer.provide(Layer.succeed(Dialect, dialects[version]))
    )

  /** Its state is gone when its scope is closed. */
  static readonly layer = (options?: EmbeddedEngineOptions): Layer.Layer<EmbeddedEngine> =>
    EmbeddedEngine.layerStore(options).pipe(Layer.provide(Journal.layerNone), Layer.orDie)
}

const make = Effect.fnUntraced(function* (apiKey: Redacted.Redacted, seedName: SeedName | false) {
  if (seedName !== false) yield* seed(seedName)
  const routes = yield* routesFor(apiKey)
  const handle = yield* onOwnRouter(Layer.merge(routes, elsewhere))
  const httpClient = HttpClient.make((request) =>
    received(request).pipe(
      Effect.flatMap((arrived) => Effect.provideService(handle, HttpServerRequest.HttpServerRequest, arrived)),
      Effect.catchTags({ HttpServerError: () => Effect.succeed(malformed), UrlError: Effect.die }),
      Effect.scoped,
      Effect.map((response) => HttpServerResponse.toClientResponse(response, { request }))
    )
  )
  return EmbeddedEngine.of({ httpClient, host: "http://127.0.0.1:5678", apiKey, routes })
})

/** Everything that an engine serves: the API, the addresses of triggers, and its health and version. */
const routesFor = Effect.fnUntraced(function* (apiKey: Redacted.Redacted) {
  const { publicNodeTypes, publicSettings, version } = yield* Dialect
  const nodeTypes = () => (publicNodeTypes === undefined ? noSession : HttpServerResponse.jsonUnsafe(publicNodeTypes()))
  const context = yield* Effect.context<Dialect | Runner | Store>()
  const api = dispatch(apiKey)
  return HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      yield* router.add("*", "/api/v1/*", (request) => Effect.provideContext(api(request), context))
      for (const path of ["/webhook/*", "/form/*"] as const) {
        yield* router.add("*", path, (request) => Effect.provideContext(hooks(request), context))
      }
      yield* router.add("*", "/webhook-test/*", (request) => Effect.provideContext(testHooks(request), context))
      yield* router.add("GET", "/healthz", healthy)
      yield* router.add("GET", "/healthz/readiness", healthy)
      yield* router.add("GET", settingsPath, json(200, { data: publicSettings }))
      yield* router.add("GET", nodeTypesPath, Effect.sync(nodeTypes))
      yield* router.add("GET", "/", startPage(version))
    })
  )
})

/** The answer to a request without the cookie of an editor's session. */
const noSession = json(401, { status: "error", message: "Unauthorized" })

/** The editor's page, with the parts that other programs read. */
const startPage = (version: string) => {
  const release = encodeBase64(JSON.stringify({ release: `n8n@${version}` }))
  return HttpServerResponse.text(
    `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta name="${releaseMeta}" content="${release}">\n</head>\n<body></body>\n</html>\n`,
    { contentType: "text/html; charset=utf-8" }
  )
}

const healthy = json(200, { status: "ok" })

/** The answer to every other path. */
const elsewhere = HttpRouter.add("*", "/*", (request) =>
  Effect.succeed(page(404, `Cannot ${request.method} ${request.url.replaceAll("<", "&lt;")}`))
)

/** The answer to an address that no router can parse. */
const malformed = page(400, "Bad Request")

/** A request as it arrives. A form would get its boundary when it is sent, which does not happen here. */
const received = (request: HttpClientRequest.HttpClientRequest) =>
  request.body._tag === "FormData"
    ? Effect.map(HttpClientRequest.toWeb(request), HttpServerRequest.fromWeb)
    : Effect.succeed(HttpServerRequest.fromClientRequest(request))
