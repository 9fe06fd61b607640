import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"

import { ConfigurationError } from "../config/ConfigurationError.ts"
import { EngineConfig } from "../config/EngineConfig.ts"
import { EmbeddedEngine } from "../embedded/engine/EmbeddedEngine.ts"
import { HttpClients } from "../http/HttpClients.ts"
import * as FileJournal from "./FileJournal.ts"

const name = "embedded"

/** One instance named `embedded` that runs inside this process, in memory or kept in a file. */
export const embeddedUpstream = ({
  file,
  readOnly
}: {
  readonly file: string | undefined
  readonly readOnly: boolean
}) => {
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
  return Layer.merge(configuration, Layer.provide(HttpClients.layerShared, client)).pipe(Layer.provide(engine(file)))
}

const engine = (file: string | undefined) =>
  file === undefined
    ? EmbeddedEngine.layer({ seed: true })
    : EmbeddedEngine.layerStore({ seed: true }).pipe(
        Layer.provide(FileJournal.layer(file)),
        Layer.catch(({ message }) => Layer.effectContext(Effect.fail(new ConfigurationError({ message }))))
      )
