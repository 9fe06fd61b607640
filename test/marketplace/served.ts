import { createServer } from "node:http"

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

import {
  EmbeddedMarketplace,
  type EmbeddedMarketplaceOptions
} from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"

/** An embedded marketplace on a port, which outlives the command, and the settings of a server that may change it. */
export const served = Effect.fnUntraced(function* (
  options: EmbeddedMarketplaceOptions,
  { middleware = Layer.empty, server = createServer }: Parts = {}
) {
  const routes = Layer.unwrap(EmbeddedMarketplace.use((market) => Effect.succeed(market.routes)))
  const layer = HttpRouter.serve(Layer.merge(routes, middleware), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(server, { port: 0, host: "127.0.0.1" })),
    Layer.provideMerge(EmbeddedMarketplace.layer(options))
  )
  const context = yield* Layer.build(layer)
  const world = yield* EmbeddedMarketplace.pipe(Effect.provide(context))
  const baseUrl = yield* HttpServer.addressFormattedWith(Effect.succeed).pipe(Effect.provide(context))
  return { world, settings: { baseUrl, apiKey: Redacted.value(world.apiKey), readOnly: false } }
})

interface Parts {
  readonly middleware?: Layer.Layer<never, never, HttpRouter.HttpRouter>
  readonly server?: typeof createServer
}
