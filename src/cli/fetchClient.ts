import { Context, Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"

import { type ConnectionOptions, UnusableConnection } from "../internal/http/HttpClients.ts"

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
