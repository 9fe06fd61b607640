import { Context, Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"

import { EmbeddedEngine, type Version } from "../../src/engine/embedded/EmbeddedEngine.ts"
import { twoEmbedded } from "../engine/plans/support.ts"
import { promotingSuite } from "./promoting.ts"
import { promotingGroupsSuite } from "./promotingGroups.ts"
import { killedSuite } from "./promotingKilled.ts"

/** Two embedded engines, which take a moment for each request, so that several are under way at the same time. */
const worldOf = (from: Version, to: Version) =>
  Effect.gen(function* () {
    const engineOf = (version: Version) =>
      Effect.map(Layer.build(EmbeddedEngine.layer({ version })), (context) => Context.get(context, EmbeddedEngine))
    const [staging, production] = [yield* engineOf(from), yield* engineOf(to)]
    return {
      places: {
        staging: { host: "http://127.0.0.1:5001", apiKey: Redacted.value(staging.apiKey) },
        production: { host: "http://127.0.0.1:5002", apiKey: Redacted.value(production.apiKey) }
      },
      client: HttpClient.make((request, url) =>
        Effect.delay((url.port === "5001" ? staging : production).httpClient.execute(request), "1 millis")
      )
    }
  })

for (const [from, to] of [
  ["1.82.3", "2.41.1"],
  ["2.41.1", "1.82.3"]
] as const) {
  const title = `from the embedded ${from} to the embedded ${to}`
  promotingSuite(title, { to, layerOf: (given) => twoEmbedded([from, to], given) })
  killedSuite(title, {
    worldOf: worldOf(from, to),
    isPublishing: from === "2.41.1",
    modes: from === "2.41.1" ? ["is lost", "arrives"] : ["arrives", "is lost"],
    first: from === "2.41.1" ? 2 : 1,
    stride: 2
  })
}

promotingGroupsSuite("between two embedded 2.41.1", { layerOf: (given) => twoEmbedded(["2.41.1", "2.41.1"], given) })
