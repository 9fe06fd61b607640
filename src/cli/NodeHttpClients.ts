import { Context, Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"

import { type ConnectionOptions, HttpClients, UnusableConnection } from "../internal/http/HttpClients.ts"

/**
 * Clients over undici, which is loaded at the first use; over `fetch` where this Node is too old for it, and then
 * without proxies and certificate files.
 */
export const layer: Layer.Layer<HttpClients> = Layer.succeed(
  HttpClients,
  HttpClients.of({
    make: (options) =>
      Effect.tryPromise(() => import("./undiciClient.ts")).pipe(
        Effect.matchEffect({
          onSuccess: ({ undiciClient }) => undiciClient(options),
          onFailure: () => fetchClient(options)
        })
      )
  })
)

const client = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })),
  Layer.build,
  Effect.map(Context.get(HttpClient.HttpClient))
)

/** The client of this Node itself. */
export const fetchClient = ({ caFile, proxy }: ConnectionOptions) =>
  caFile === undefined && proxy === undefined
    ? client
    : Effect.fail(new UnusableConnection({ message: tooOld(caFile) }))

const tooOld = (caFile: string | undefined): string =>
  caFile === undefined
    ? `proxy: needs Node 22.19 or later, this is ${process.version}`
    : `caFile: needs Node 22.19 or later, this is ${process.version}; leave it out here and start the server with ` +
      `NODE_EXTRA_CA_CERTS=${caFile}`
