import { createServer } from "node:http"

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"

import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { transportCode } from "../../internal/http/transportCode.ts"
import { cutUnread, type SendLimits, sendLimits } from "./unreadAnswers.ts"

/** Bounds for callers that are slow, many or wordy. */
const bounds = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5000,
  // Longer than clients and proxies keep theirs: who closes first races with a request on its way.
  keepAliveTimeout: 60_000,
  maxHeaderSize: 16 * 1024
}
/** Connections at once, as many as descriptors allow; from `crowded` on, those that are idle are closed for new ones. */
const maxConnections = 8192
const crowded = 1024
/** Time for what is being answered when the server ends. */
const shutdownTimeout = "5 seconds"

export interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Listens at the address; what keeps it from that is said in plain words. At its end, answers under way have five
 * seconds, then every connection is closed.
 */
export const httpListener = ({ host, port }: Address, limits: SendLimits = sendLimits) =>
  Layer.unwrap(
    Effect.sync(() => {
      const server = makeServer()
      const listening = NodeHttpServer.layerServer(() => server, {
        host,
        port,
        gracefulShutdownTimeout: shutdownTimeout
      })
      const cutting = Effect.andThen(
        Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())),
        cutUnread(server, limits)
      )
      return Layer.effectDiscard(cutting).pipe(
        Layer.provideMerge(listening),
        Layer.catchTag("ServeError", ({ cause }) =>
          Layer.effect(
            HttpServer.HttpServer,
            Effect.flatMap(describe(transportCode(cause), host, port), (message) =>
              Effect.fail(new ConfigurationError({ message }))
            )
          )
        )
      )
    })
  ).pipe(Layer.merge(NodeHttpServer.layerHttpServices))

const makeServer = () => {
  const server = createServer(bounds)
  server.maxConnections = maxConnections
  let connections = 0
  server.on("connection", (socket) => {
    socket.once("close", () => connections--)
    if (++connections > crowded) server.closeIdleConnections()
  })
  return server.on("request", (_, response) => {
    response.once("close", () => {
      if (!server.listening) server.closeIdleConnections()
    })
  })
}

const describe = (code: string | undefined, host: string, port: number): Effect.Effect<string> => {
  if (code === "EADDRINUSE")
    return Effect.promise(() => import("./portOccupant.ts")).pipe(
      Effect.flatMap(({ occupantOf }) => occupantOf(host, port)),
      Effect.map((occupant) => taken(host, port, occupant))
    )
  if (code === "EACCES")
    return Effect.succeed(`Port ${port} on ${host} may not be opened by this user. Choose one above 1023 with --port.`)
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return Effect.succeed(`${host} is not an address of this machine. See --host.`)
  return Effect.succeed(`Port ${port} on ${host} cannot be opened (${code ?? "unknown reason"}).`)
}

const taken = (host: string, port: number, occupant: string | undefined) =>
  occupant === undefined
    ? `Port ${port} on ${host} is already in use. Choose another one with --port.`
    : `Port ${port} on ${host} is already in use by a workflow-tool-server ${occupant}. Connect to that one, stop it, or choose another port with --port.`
