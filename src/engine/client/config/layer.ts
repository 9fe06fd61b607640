import { Effect, Layer } from "effect"

import { ConfigurationError } from "../../../internal/config/ConfigurationError.ts"
import { inEnvironment } from "../../../internal/config/variables.ts"
import { EngineConfig } from "./EngineConfig.ts"
import { unknownInstanceFields } from "./instance.ts"
import type { InstanceFields } from "./instanceFields.ts"
import { fromFile } from "./instances.ts"

/** Instances as `.config.json` has them: each under its name, with base URL and API key. */
export interface Configuration {
  readonly environments: Readonly<Record<string, typeof InstanceFields.Encoded>>
  /** The instance of calls that name none; may be left out where there is only one. */
  readonly defaultEnv?: string
}

/**
 * The instances of a configuration. Environment variables go before it, as everywhere. Fails with a `ConfigurationError`
 * that names the field and what is expected there.
 */
export const layer = (configuration: Configuration): Layer.Layer<EngineConfig, ConfigurationError> =>
  Layer.effect(
    EngineConfig,
    Effect.gen(function* () {
      const instances = Object.entries(configuration.environments)
      if (instances.length === 0) {
        return yield* new ConfigurationError({ message: "configuration: expected at least one instance" })
      }
      for (const [instance, fields] of instances) {
        const [field] = unknownInstanceFields(fields)
        if (field === undefined) continue
        const meant = field.meant === undefined ? "" : `: did you mean ${field.meant}?`
        const place = `configuration: environments.${instance}.${field.name}`
        return yield* new ConfigurationError({ message: `${place} is not a known setting${meant}` })
      }
      const at = (path: string) => `configuration: ${path}`
      return yield* fromFile(new Map(instances), configuration.defaultEnv, yield* inEnvironment, at, {
        name: "configuration",
        isTrusted: true
      })
    })
  )
