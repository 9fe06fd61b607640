import { Effect, Layer } from "effect"

import { HttpClients, UnusableConnection } from "../internal/http/HttpClients.ts"

/** Clients over Node's own HTTP; over undici through a proxy. Either is loaded at its first use. */
export const layer: Layer.Layer<HttpClients> = Layer.succeed(
  HttpClients,
  HttpClients.of({
    make: ({ proxy, ...options }) =>
      proxy === undefined
        ? Effect.flatMap(
            Effect.promise(() => import("./nodeHttpClient.ts")),
            ({ nodeHttpClient }) => nodeHttpClient(options)
          )
        : Effect.tryPromise({
            try: () => import("./undiciClient.ts"),
            catch: () =>
              new UnusableConnection({ message: `proxy: needs Node 22.19 or later, this is ${process.version}` })
          }).pipe(Effect.flatMap(({ undiciClient }) => undiciClient(proxy, options)))
  })
)
