import { createHash, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { McpHttp, Server } from "workflow-tool-server/mcp"

import { LunchToolset, Votes } from "./toolset.ts"

const LunchServer = Server.layer({ name: "lunch-server", version: "1.0.0", toolsets: [LunchToolset] }).pipe(
  Layer.provide(Votes.layer)
)

const digest = (token: Redacted.Redacted) => createHash("sha256").update(Redacted.value(token)).digest()

/** `POST /mcp` for callers that send the token, and `GET /health` for everybody. */
const Routes = Layer.unwrap(
  Effect.map(Config.Redacted("LUNCH_TOKEN"), (expected) =>
    McpHttp.layer({ verify: (token) => Effect.sync(() => timingSafeEqual(digest(token), digest(expected))) })
  )
)

const Listener = Layer.unwrap(
  Effect.map(Config.Int("PORT").pipe(Config.withDefault(3457)), (port) =>
    NodeHttpServer.layer(createServer, { port, host: "127.0.0.1" })
  )
)

const addressPrinted = Layer.effectDiscard(
  HttpServer.addressFormattedWith((address) => Console.error(`Serving ${address}/mcp`))
)

HttpRouter.serve(Layer.merge(Routes, addressPrinted), { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provide(LunchServer),
  Layer.provide(Listener),
  Layer.launch,
  NodeRuntime.runMain
)
