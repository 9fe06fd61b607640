import { X509Certificate } from "node:crypto"
import { createSecureContext, getCACertificates } from "node:tls"

import * as NodeFiles from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Agent, buildConnector, interceptors, ProxyAgent } from "@effect/platform-node/Undici"
import type { Dispatcher } from "@effect/platform-node/Undici"
import { Effect, FileSystem } from "effect"

import { type ConnectionOptions, UnusableConnection } from "../internal/http/HttpClients.ts"
import { withoutContinue } from "./withoutContinue.ts"

const connectTimeout = 10_000

/** A client with its own pool of connections. */
export const undiciClient = Effect.fnUntraced(function* ({ caFile, proxy }: ConnectionOptions) {
  const secureContext = caFile === undefined ? undefined : yield* trusting(caFile)
  const connect = { timeout: connectTimeout, ...(secureContext === undefined ? {} : { secureContext }) }
  const dispatcher = yield* Effect.acquireRelease(
    proxy === undefined
      ? Effect.sync(() => new Agent({ allowH2: false, connect: connector({ ...connect, allowH2: false }) }))
      : Effect.try({
          try: () => new ProxyAgent({ uri: proxy, allowH2: false, requestTls: connect, proxyTls: connect }),
          catch: () => new UnusableConnection({ message: "proxy: expected the URL of an HTTP proxy" })
        }),
    (dispatcher) => Effect.promise(() => dispatcher.destroy())
  )
  return yield* Effect.provideService(NodeHttpClient.makeUndici, NodeHttpClient.Dispatcher, unpacking(dispatcher))
})

/** Unpacks answers of every status, also those that nobody asked to be packed; how much is read, the reader decides. */
const unpacking = (dispatcher: Dispatcher): Dispatcher =>
  dispatcher.compose(interceptors.decompress({ skipErrorResponses: false }))

/** Makes connections whose answers may be preceded by a `100 Continue`. */
const connector = (options: buildConnector.BuildOptions): buildConnector.connector => {
  const connect = buildConnector(options)
  return (target, callback) =>
    connect(target, (...[error, socket]) =>
      error === null ? callback(null, withoutContinue(socket)) : callback(error, null)
    )
}

/** Trusts what this Node trusts, and the certificates of the file. Made once: it is too slow to make for a connection. */
const trusting = Effect.fnUntraced(function* (caFile: string) {
  const pem = yield* readFile(caFile)
  return yield* Effect.try({
    try: () => {
      void new X509Certificate(pem)
      return createSecureContext({ ca: [...getCACertificates(), pem] })
    },
    catch: () => new UnusableConnection({ message: `caFile: ${caFile} holds no certificate` })
  })
})

const readFile = Effect.fnUntraced(
  function* (file: string) {
    const files = yield* FileSystem.FileSystem
    return yield* files.readFileString(file)
  },
  Effect.provide(NodeFiles.layer),
  (effect, file) => Effect.mapError(effect, () => new UnusableConnection({ message: `caFile: ${file} cannot be read` }))
)
