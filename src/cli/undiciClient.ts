import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { interceptors, ProxyAgent } from "@effect/platform-node/Undici"
import { Effect } from "effect"

import { type ConnectionOptions, UnusableConnection } from "../internal/http/HttpClients.ts"
import { readCertificates, trusting } from "./certificates.ts"

/** All attempts together fit into the time of a call: a change that found no connection is then known not to have been sent. */
const connectTimeout = 8000

/** A client with its own connections through a proxy, which Node itself cannot do. */
export const undiciClient = Effect.fnUntraced(function* (proxy: string, { caFile }: ConnectionOptions) {
  const secureContext = caFile === undefined ? undefined : yield* trusting(yield* readCertificates(caFile))
  const connect = { timeout: connectTimeout, ...(secureContext === undefined ? {} : { secureContext }) }
  const dispatcher = yield* Effect.acquireRelease(
    Effect.try({
      try: () => new ProxyAgent({ uri: proxy, allowH2: false, requestTls: connect, proxyTls: connect }),
      catch: () => new UnusableConnection({ message: "proxy: expected the URL of an HTTP proxy" })
    }),
    (dispatcher) => Effect.promise(() => dispatcher.destroy())
  )
  // Answers of every status, also those that nobody asked to be packed; how much is read, the reader decides.
  const unpacking = dispatcher.compose(interceptors.decompress({ skipErrorResponses: false }))
  return yield* Effect.provideService(NodeHttpClient.makeUndici, NodeHttpClient.Dispatcher, unpacking)
})
