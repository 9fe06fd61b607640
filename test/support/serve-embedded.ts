/**
 * Serves the embedded engine on a port of the loopback interface until it is killed, for programs that know only
 * addresses: `serve-embedded.ts --version 1.82.3 --port 4000`. Without a port a free one is taken; its URL is printed.
 */
import { createServer } from "node:http"
import { parseArgs } from "node:util"

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

import { EmbeddedEngine, Version } from "../../src/engine/embedded/EmbeddedEngine.ts"

const { values } = parseArgs({
  options: { version: { type: "string", default: "1.82.3" }, port: { type: "string", default: "0" } }
})

const engine = EmbeddedEngine.layer({ version: Schema.decodeUnknownSync(Version)(values.version) })
const routes = Layer.unwrap(EmbeddedEngine.use((embedded) => Effect.succeed(embedded.routes)))
const announce = Layer.effectDiscard(HttpServer.addressFormattedWith((address) => Console.log(address)))

HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.merge(announce),
  Layer.provide(engine),
  Layer.provide(NodeHttpServer.layer(createServer, { port: Number(values.port), host: "127.0.0.1" })),
  Layer.launch,
  NodeRuntime.runMain
)
