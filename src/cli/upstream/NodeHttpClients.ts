import { Effect, Layer } from "effect"

import { HttpClients } from "../../internal/http/HttpClients.ts"

/** Clients over Node's own HTTP, loaded at the first use. */
export const layer: Layer.Layer<HttpClients> = Layer.succeed(
  HttpClients,
  HttpClients.of({
    make: (options) =>
      Effect.flatMap(
        Effect.promise(() => import("./nodeHttpClient.ts")),
        ({ nodeHttpClient }) => nodeHttpClient(options)
      )
  })
)
