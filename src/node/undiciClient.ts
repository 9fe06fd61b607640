import { getCACertificates } from "node:tls"

import * as NodeFiles from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import Undici from "@effect/platform-node/Undici"
import { Effect, FileSystem } from "effect"

import { type ConnectionOptions, UnusableConnection } from "../http/HttpClients.ts"

const connectTimeout = 10_000

/** A client with its own pool of connections. */
export const undiciClient = Effect.fnUntraced(function* ({ caFile, proxy }: ConnectionOptions) {
  const ca = caFile === undefined ? undefined : [...getCACertificates(), yield* readPem(caFile)]
  const connect = { timeout: connectTimeout, ...(ca === undefined ? {} : { ca }) }
  const dispatcher = yield* Effect.acquireRelease(
    proxy === undefined
      ? Effect.sync(() => new Undici.Agent({ allowH2: false, connect }))
      : Effect.try({
          try: () => new Undici.ProxyAgent({ uri: proxy, allowH2: false, requestTls: connect, proxyTls: connect }),
          catch: () => new UnusableConnection({ message: "proxy: expected the URL of an HTTP proxy" })
        }),
    (dispatcher) => Effect.promise(() => dispatcher.destroy())
  )
  return yield* Effect.provideService(NodeHttpClient.makeUndici, NodeHttpClient.Dispatcher, dispatcher)
})

const readPem = Effect.fnUntraced(
  function* (file: string) {
    const files = yield* FileSystem.FileSystem
    return yield* files.readFileString(file)
  },
  Effect.provide(NodeFiles.layer),
  (effect, file) => Effect.mapError(effect, () => new UnusableConnection({ message: `caFile: ${file} cannot be read` }))
)
