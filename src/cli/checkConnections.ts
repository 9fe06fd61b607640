import { Effect } from "effect"

import { ConfigurationError } from "../internal/config/ConfigurationError.ts"
import { HttpClients } from "../internal/http/HttpClients.ts"
import type { Launch } from "./Launch.ts"
import * as NodeHttpClients from "./NodeHttpClients.ts"

/** Refuses a `caFile` or a `proxy` that cannot be used, by this Node or by anyone, before the first call needs it. */
export const checkConnections = ({ engine }: Launch) =>
  Effect.forEach(
    engine?.environments ?? [],
    ([name, { caFile, proxy }]) =>
      caFile === undefined && proxy === undefined
        ? Effect.void
        : HttpClients.use(({ make }) =>
            make({ ...(caFile === undefined ? {} : { caFile }), ...(proxy === undefined ? {} : { proxy }) })
          ).pipe(
            Effect.scoped,
            Effect.mapError(({ message }) => new ConfigurationError({ message: `environments.${name}.${message}` }))
          ),
    { discard: true }
  ).pipe(Effect.provide(NodeHttpClients.layer))
