import { Context, Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"

import { type ConnectionOptions, UnusableConnection } from "../http/HttpClients.ts"

const client = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })),
  Layer.build,
  Effect.map(Context.get(HttpClient.HttpClient))
)

/** The client of this Node itself. */
export const fetchClient = ({ caFile, proxy }: ConnectionOptions) =>
  caFile === undefined && proxy === undefined
    ? client
    : Effect.fail(new UnusableConnection({ message: "caFile and proxy need Node 22.19 or later" }))
