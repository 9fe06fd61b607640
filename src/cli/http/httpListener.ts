import type { Server } from "node:http"

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"

import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { transportCode } from "../../internal/http/transportCode.ts"
import type { BodyReaders } from "../../mcp/transport/body.ts"
import { type ConnectionLimits, keepConnections, cutUnread, type SendLimits, sendLimits } from "./connections.ts"

// An import of it as a module also loads Node's own fetch: 13 MiB and 60 ms.
const { createServer, IncomingMessage, ServerResponse } = process.getBuiltinModule("node:http")

/** Limits for callers that are slow, many or send too much. */
const bounds = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5000,
  maxHeaderSize: 16 * 1024
}
/** Connections that wait to be accepted; the system resets those beyond, and Node's default is only 511. */
const backlog = 4096
/** Time for requests in flight when the server ends. */
const shutdownTimeout = "5 seconds"

interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Listens at the address; failures are explained in words for a person. At its end, requests in flight have five seconds, then
 * every connection is closed.
 */
export const httpListener = (
  { host, port }: Address,
  limits: SendLimits = sendLimits,
  connections?: Partial<ConnectionLimits>
) =>
  Layer.unwrap(
    Effect.sync(() => {
      const server: Server = createServer({ ...bounds, ServerResponse: WholeAnswer })
      const listening = NodeHttpServer.layerServer(() => server, {
        host,
        port,
        backlog,
        gracefulShutdownTimeout: shutdownTimeout
      })
      const cutting = Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())).pipe(
        Effect.andThen(cutUnread(server, limits)),
        Effect.andThen(keepConnections(server, connections))
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

/** The bytes of a body by Node's own events. `Expect: 100-continue` is left to the listener. */
export const nodeBody: BodyReaders = ({ source }) => {
  if (!(source instanceof IncomingMessage) || source.headers.expect !== undefined) return undefined
  return (most, onEnd) => {
    const chunks: Array<Uint8Array> = []
    let length = 0
    let isOver = false
    const stop = () => {
      isOver = true
      source.off("data", take).pause()
    }
    const finish = (end: Uint8Array | "broken") => {
      if (isOver) return
      isOver = true
      onEnd(end)
    }
    const take = (chunk: Uint8Array) => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= most) return
      source.off("data", take).pause()
      finish("broken")
    }
    const fail = () => finish("broken")
    if (source.destroyed) fail()
    else {
      source.on("data", take).on("error", fail).on("close", fail)
      source.on("end", () => {
        const [first] = chunks
        finish(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks))
      })
    }
    return stop
  }
}

/**
 * Answers without a second count of their length by Node: it would send head and body in two pieces, with a slower system call.
 * The length of an answer is that of its own text.
 */
class WholeAnswer extends ServerResponse {}

// As accessors of the class: Node and effect set it for each answer.
Object.defineProperty(WholeAnswer.prototype, "strictContentLength", { get: () => false, set: () => {} })
