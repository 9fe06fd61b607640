import { Effect } from "effect"

import type { Environment } from "../../engine/client/config/EngineConfig.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { HttpClients } from "../../internal/http/HttpClients.ts"
import * as NodeHttpClients from "./NodeHttpClients.ts"

/** Makes a connection of each, to find out whether it can be made, and drops it. */
export const checkConnections = (environments: ReadonlyArray<readonly [name: string, Environment]>) =>
  Effect.forEach(
    environments,
    ([name, { caFile, proxy }]) =>
      HttpClients.use(({ make }) =>
        make({ ...(caFile === undefined ? {} : { caFile }), ...(proxy === undefined ? {} : { proxy }) })
      ).pipe(
        Effect.scoped,
        Effect.mapError(({ message }) => new ConfigurationError({ message: `environments.${name}.${message}` }))
      ),
    { discard: true }
  ).pipe(Effect.provide(NodeHttpClients.layer))
