import { createServer } from "node:http"

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

import { EmbeddedEngine, type Version } from "../../../src/engine/embedded/EmbeddedEngine.ts"

/** An embedded engine on a port, which outlives the command; empty, or with the workflows that it brings. */
export const served = Effect.fnUntraced(function* (version: Version, { seed = false } = {}) {
  const routes = Layer.unwrap(EmbeddedEngine.use((engine) => Effect.succeed(engine.routes)))
  const server = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(EmbeddedEngine.layer({ version, seed })),
    Layer.provideMerge(NodeHttpServer.layerServer(createServer, { port: 0, host: "127.0.0.1" }))
  )
  const context = yield* Layer.build(server)
  const { apiKey } = yield* EmbeddedEngine.pipe(Effect.provide(context))
  const host = yield* HttpServer.addressFormattedWith(Effect.succeed).pipe(Effect.provide(context))
  return { host, apiKey: Redacted.value(apiKey) }
})
