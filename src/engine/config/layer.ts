import { Effect, Layer } from "effect"

import { readSettings } from "../../cli/settings/read.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { EngineConfig } from "./EngineConfig.ts"

/** The instances of a configuration in the form of `.config.json`. Environment variables go before it, as everywhere. */
export const layer = (configuration: object): Layer.Layer<EngineConfig, ConfigurationError> =>
  Layer.effect(
    EngineConfig,
    Effect.gen(function* () {
      const text = JSON.stringify(configuration)
      const { engine } = yield* readSettings({ configuration: { name: "configuration", text, isTrusted: true } })
      return engine ?? (yield* new ConfigurationError({ message: "configuration: expected at least one instance" }))
    })
  )
