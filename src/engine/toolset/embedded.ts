import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"

import { HttpClients } from "../../internal/http/HttpClients.ts"
import { EngineConfig, type Environment } from "../client/config/EngineConfig.ts"
import { EmbeddedEngine } from "../embedded/EmbeddedEngine.ts"

export { EmbeddedEngine, type EmbeddedEngineOptions } from "../embedded/EmbeddedEngine.ts"
export { Journal as EmbeddedJournal, JournalError } from "../embedded/store/Store.ts"

/** The embedded engine as the only configured instance: its configuration, and the HTTP client for it. */
export const layerInstance = ({
  name = "embedded",
  readOnly = false
}: { readonly name?: string; readonly readOnly?: boolean } = {}): Layer.Layer<
  EngineConfig | HttpClients,
  never,
  EmbeddedEngine
> => Layer.unwrap(Effect.map(EmbeddedEngine, (engine) => layerInstances({ [name]: engine }, { readOnly })))

/** Several embedded engines as the configured instances, each at a port of its own; the first one is the default. */
export const layerInstances = (
  engines: Readonly<Record<string, EmbeddedEngine["Service"]>>,
  { readOnly = false }: { readonly readOnly?: boolean } = {}
): Layer.Layer<EngineConfig | HttpClients> => {
  const environments = new Map<string, Environment>()
  const clients = new Map<string, HttpClient.HttpClient>()
  for (const [name, { apiKey, host: first, httpClient }] of Object.entries(engines)) {
    const { hostname, port, protocol } = new URL(first)
    const host = `${protocol}//${hostname}:${Number(port) + clients.size}`
    clients.set(host, httpClient)
    environments.set(name, {
      host,
      apiKey,
      readOnly,
      isEmbedded: true,
      allowInsecureHttp: false,
      requestsPerSecond: Infinity,
      concurrency: 64,
      headers: {}
    })
  }
  const [one = HttpClient.make((_, url) => Effect.die(`No engine is at ${url.origin}`)), ...others] = clients.values()
  const client =
    others.length === 0 ? one : HttpClient.make((request, url) => (clients.get(url.origin) ?? one).execute(request))
  const [defaultEnv = ""] = environments.keys()
  return Layer.merge(
    Layer.succeed(EngineConfig, { defaultEnv, environments }),
    Layer.provide(HttpClients.layerShared, Layer.succeed(HttpClient.HttpClient, client))
  )
}
