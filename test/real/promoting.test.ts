import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { inject } from "vitest"

import { promotingSuite } from "../contract/promoting.ts"
import { promotingGroupsSuite } from "../contract/promotingGroups.ts"
import { killedSuite } from "../contract/promotingKilled.ts"
import { promotingTablesSuite } from "../contract/promotingTables.ts"
import { restoringTablesSuite } from "../contract/restoringTables.ts"
import { type Given, type Place, serverWithPlans } from "../engine/plans/support.ts"

const engines = inject("engines")

/** Two real places behind one server. */
const overPlaces = (places: Readonly<Record<"production" | "staging", Place>>) => (given: Given) =>
  Layer.unwrap(Effect.map(HttpClient.HttpClient, (client) => serverWithPlans(places, client, given))).pipe(
    Layer.provide(FetchHttpClient.layer)
  )

for (const staging of engines) {
  for (const production of engines) {
    if (staging.version === production.version) continue
    const title = `from the real ${staging.version} to the real ${production.version}`
    const places = { staging, production }
    promotingSuite(title, {
      to: production.version,
      layerOf: overPlaces(places)
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

// What belongs to a member is a place of its own: its key shows nothing else.
for (const { apiKey, host, memberKey, version } of engines.filter((engine) => engine.version.startsWith("2."))) {
  const places = { staging: { host, apiKey }, production: { host, apiKey: memberKey } }
  promotingTablesSuite(`between two users of the real ${version}`, { layerOf: overPlaces(places) })
  promotingGroupsSuite(`between two users of the real ${version}`, { layerOf: overPlaces(places) })
  restoringTablesSuite(`of a user of the real ${version}`, { layerOf: overPlaces(places), isLicensed: false })
}
