import { X509Certificate } from "node:crypto"
import { createSecureContext, getCACertificates } from "node:tls"

import * as NodeFiles from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Agent, ProxyAgent } from "@effect/platform-node/Undici"
import { Effect, FileSystem } from "effect"

import { type ConnectionOptions, UnusableConnection } from "../internal/http/HttpClients.ts"

/** All attempts together fit into the time of a call: a change that found no connection is then known not to have been sent. */
const connectTimeout = 8000

/** A client with its own pool of connections. */
export const undiciClient = Effect.fnUntraced(function* ({ caFile, proxy }: ConnectionOptions) {
  const secureContext = caFile === undefined ? undefined : yield* trusting(caFile)
  const connect = { timeout: connectTimeout, ...(secureContext === undefined ? {} : { secureContext }) }
  const dispatcher = yield* Effect.acquireRelease(
    proxy === undefined
      ? Effect.sync(() => new Agent({ allowH2: false, connect }))
      : Effect.try({
          try: () => new ProxyAgent({ uri: proxy, allowH2: false, requestTls: connect, proxyTls: connect }),
          catch: () => new UnusableConnection({ message: "proxy: expected the URL of an HTTP proxy" })
        }),
    (dispatcher) => Effect.promise(() => dispatcher.destroy())
  )
  return yield* Effect.provideService(NodeHttpClient.makeUndici, NodeHttpClient.Dispatcher, dispatcher)
})

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
