import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"

import { HttpClients } from "../../internal/http/HttpClients.ts"
import { EngineConfig } from "../client/config/EngineConfig.ts"
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
> =>
  Layer.unwrap(
    Effect.map(EmbeddedEngine, ({ apiKey, host, httpClient }) => {
      const environment = {
        host,
        apiKey,
        readOnly,
        isEmbedded: true,
        allowInsecureHttp: false,
        requestsPerSecond: Infinity,
        concurrency: 64,
        headers: {}
      }
      return Layer.merge(
        Layer.succeed(EngineConfig, { defaultEnv: name, environments: new Map([[name, environment]]) }),
        Layer.provide(HttpClients.layerShared, Layer.succeed(HttpClient.HttpClient, httpClient))
      )
    })
  )
