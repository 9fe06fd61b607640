import { Effect, Layer } from "effect"

import { HttpClients } from "../internal/http/HttpClients.ts"

/**
 * Clients over undici, which is loaded at the first use; over `fetch` where this Node is too old for it, and then
 * without proxies and certificate files.
 */
export const layer: Layer.Layer<HttpClients> = Layer.succeed(
  HttpClients,
  HttpClients.of({
    make: (options) =>
      Effect.tryPromise(() => import("./undiciClient.ts")).pipe(
        Effect.matchEffect({
          onSuccess: ({ undiciClient }) => undiciClient(options),
          onFailure: () =>
            Effect.flatMap(
              Effect.promise(() => import("./fetchClient.ts")),
              ({ fetchClient }) => fetchClient(options)
            )
        })
      )
  })
)
