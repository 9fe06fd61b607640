import { Clock, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

import { EmbeddedMarketplace } from "../../src/embedded/marketplace/EmbeddedMarketplace.ts"
import { Plans } from "../../src/marketplace/apply/Plans.ts"
import { MarketplaceConfig } from "../../src/marketplace/MarketplaceConfig.ts"
import { planClusterBids } from "../../src/marketplace/plan/planClusterBids.ts"
import { campaignsOf, kopecks } from "./planned.ts"

export const pair = { advert_id: 1003, nm_id: 500301 }

/** A kept plan that bids 300 rubles for some clusters of one article; what is there already is not looked at. */
export const clusterPlan = Effect.fnUntraced(function* (...clusters: ReadonlyArray<string>) {
  const { guards, wire } = yield* MarketplaceConfig
  const campaigns = yield* campaignsOf(1003)
  const wishes = clusters.map((norm_query) => ({ ...pair, norm_query, to: kopecks(30_000) }))
  return yield* Plans.use((plans) => plans.keep(planClusterBids({ campaigns, current: [], wishes, wire, guards })))
})

export const bidsSet = Effect.map(
  Effect.flatMap(EmbeddedMarketplace, (world) => world.account),
  ({ clusterBids }) => Object.fromEntries([...clusterBids].map(([key, bid]) => [key.split(":")[2], Number(bid)]))
)

/** The document's wire on our side, on the other side a marketplace that reads rubles. */
export const misunderstood = [{ wire: "spec" }, { wire: "published" }] as const

const Answer = Schema.fromJsonString(
  Schema.Struct({ bids: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) })
)

/** What get-bids answers, changed by the test. */
const readBids = (change: (bid: Readonly<Record<string, unknown>>) => unknown) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(EmbeddedMarketplace, ({ httpClient }) =>
      HttpClient.make((request, url) =>
        Effect.gen(function* () {
          const response = yield* httpClient.execute(request)
          if (!url.pathname.endsWith("get-bids")) return response
          const { bids } = yield* Effect.orDie(Schema.decodeEffect(Answer)(yield* response.text))
          return HttpClientResponse.fromWeb(request, Response.json({ bids: bids.map(change) }))
        })
      )
    )
  )
export const withoutKopecks = readBids(({ advert_id, bid, nm_id, norm_query }) => ({
  advert_id,
  bid,
  nm_id,
  norm_query
}))

/** A marketplace that shows no cluster bid before that moment. */
export const late = (visibleAt: number) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(EmbeddedMarketplace, ({ httpClient }) =>
      HttpClient.make((request, url) =>
        Effect.gen(function* () {
          const isHidden = url.pathname.endsWith("get-bids") && (yield* Clock.currentTimeMillis) < visibleAt
          if (!isHidden) return yield* httpClient.execute(request)
          return HttpClientResponse.fromWeb(request, Response.json({ bids: [] }))
        })
      )
    )
  )
