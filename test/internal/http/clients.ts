import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"

import * as NodeHttpClients from "../../../src/cli/upstream/NodeHttpClients.ts"
import { HttpClients } from "../../../src/internal/http/HttpClients.ts"
import * as Upstream from "../../../src/internal/http/Upstream.ts"

const overFetch = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

/** The client that the command uses, and one that an embedder may bring. */
export const clients = {
  "the client of the command": HttpClients.use(({ make }) => make({})).pipe(Effect.provide(NodeHttpClients.layer)),
  "a client over fetch": HttpClient.HttpClient.pipe(Effect.provide(overFetch))
}

export const clientNames = ["the client of the command", "a client over fetch"] as const

/** An upstream that is really there. */
export const upstreamAt = (
  client: (typeof clientNames)[number],
  baseUrl: string,
  options: Partial<Upstream.UpstreamOptions> = {}
) => Effect.map(clients[client], (http) => Upstream.make(http, { baseUrl, retries: 0, ...options }))

/** A key that must never be seen where it does not belong. */
export const canary = "canary-5ffe0fbe"

export const withKey = (method: "GET" | "POST", path = "/"): Upstream.UpstreamRequest => ({
  method,
  path,
  headers: { "X-ENGINE-API-KEY": Redacted.make(canary) },
  ...(method === "POST" ? { body: { name: "x" } } : {})
})
