import { Effect, Layer, Scope } from "effect"
import type { HttpClient } from "effect/http"

import type { Environment } from "../../engine/client/config/EngineConfig.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { cachedSuccess } from "../../internal/effects.ts"
import { type ConnectionOptions, HttpClients, type UnusableConnection } from "../../internal/http/HttpClients.ts"

/**
 * Clients over Node's own HTTP, loaded at the first use. Upstreams that are connected to in the same way share one, and with
 * it the connections to hosts that they share; what cannot be used is tried again by the next.
 */
export const layer: Layer.Layer<HttpClients> = Layer.effect(
  HttpClients,
  Effect.map(Effect.scope, (scope) => {
    const made = new Map<string, Effect.Effect<HttpClient.HttpClient, UnusableConnection>>()

    const client = (options: ConnectionOptions) =>
      Effect.flatMap(
        Effect.promise(() => import("./nodeHttpClient.ts")),
        ({ nodeHttpClient }) => nodeHttpClient(options)
      ).pipe(Effect.provideService(Scope.Scope, scope), cachedSuccess)

    return HttpClients.of({
      make: (options) =>
        Effect.suspend(() => {
          const key = JSON.stringify([options.caFile, options.proxy])
          const former = made.get(key)
          if (former !== undefined) return former
          return Effect.flatMap(client(options), (shared) => {
            made.set(key, shared)
            return shared
          })
        })
    })
  })
)

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
  ).pipe(Effect.provide(layer))
