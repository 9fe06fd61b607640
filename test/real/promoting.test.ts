import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { inject } from "vitest"

import { promotingSuite } from "../contract/promoting.ts"
import { serverWithPlans } from "../engine/plans/support.ts"

const engines = inject("engines")

for (const staging of engines) {
  for (const production of engines) {
    if (staging.version === production.version) continue
    promotingSuite(`from the real ${staging.version} to the real ${production.version}`, {
      to: production.version,
      layerOf: (given) =>
        Layer.unwrap(
          Effect.map(HttpClient.HttpClient, (client) => serverWithPlans({ staging, production }, client, given))
        ).pipe(Layer.provide(FetchHttpClient.layer))
    })
  }
}
