import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"

import { EngineConfig } from "../config/EngineConfig.ts"
import { EmbeddedEngine } from "../embedded/engine/EmbeddedEngine.ts"
import { HttpClients } from "../http/HttpClients.ts"

const name = "embedded"

/** One instance named `embedded` that runs inside this process, in memory or kept in a file. */
export const embeddedUpstream = ({ readOnly }: { readonly file: string | undefined; readonly readOnly: boolean }) => {
  const configuration = Layer.effect(
    EngineConfig,
    Effect.map(EmbeddedEngine, ({ apiKey, host }) => {
      const environment = {
        host,
        apiKey,
        readOnly,
        allowInsecureHttp: false,
        requestsPerSecond: 99,
        concurrency: 10,
        headers: {}
      }
      return { defaultEnv: name, environments: new Map([[name, environment]]) }
    })
  )
  const client = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(EmbeddedEngine, ({ httpClient }) => httpClient)
  )
  return Layer.merge(configuration, Layer.provide(HttpClients.layerShared, client)).pipe(
    Layer.provide(EmbeddedEngine.layer({ seed: true }))
  )
}
