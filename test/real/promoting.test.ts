import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { inject } from "vitest"

import { promotingSuite } from "../contract/promoting.ts"
import { killedSuite } from "../contract/promotingKilled.ts"
import { serverWithPlans } from "../engine/plans/support.ts"

const engines = inject("engines")

for (const staging of engines) {
  for (const production of engines) {
    if (staging.version === production.version) continue
    const title = `from the real ${staging.version} to the real ${production.version}`
    const places = { staging, production }
    promotingSuite(title, {
      to: production.version,
      layerOf: (given) =>
        Layer.unwrap(Effect.map(HttpClient.HttpClient, (client) => serverWithPlans(places, client, given))).pipe(
          Layer.provide(FetchHttpClient.layer)
        )
    })
    killedSuite(title, {
      worldOf: Effect.map(HttpClient.HttpClient, (client) => ({ places, client })).pipe(
        Effect.provide(FetchHttpClient.layer)
      ),
      isPublishing: staging.version.startsWith("2."),
      modes: ["arrives", "is lost"],
      first: 2,
      stride: 3
    })
  }
}
