import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { inject } from "vitest"

import { freezingSuite } from "../contract/freezing.ts"
import { historyIn } from "../engine/history/support.ts"
import { serverWithPlans } from "../engine/plans/support.ts"

const engines = inject("engines")
const [staging] = engines

// No engine that freezes node types can be installed: one of generation 2 stands in for it, with a proxy before it.
for (const production of engines.filter(({ version }) => version.startsWith("2."))) {
  freezingSuite(`before the real ${production.version}`, {
    host: production.host,
    layerOf: (given, directory) => {
      const server = Layer.unwrap(
        Effect.map(HttpClient.HttpClient, (client) =>
          serverWithPlans({ staging: staging ?? production, production }, client, given)
        )
      ).pipe(Layer.provide(FetchHttpClient.layer))
      return directory === undefined ? server : server.pipe(Layer.provide(historyIn(directory)))
    }
  })
}
