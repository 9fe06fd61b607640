import { Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

import { Plans } from "../../src/marketplace/apply/Plans.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../src/marketplace/client/MarketplaceConfig.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { planClusterBids } from "../../src/marketplace/plan/planClusterBids.ts"
import { call as answerTo } from "./offered.ts"
import { campaignsOf, kopecks } from "./planned.ts"
import { type Canned } from "./support.ts"

export const pair = { advert_id: 1003, nm_id: 500301 }
/** An article with a cluster bid from the beginning. */
export const neighbour = { advert_id: 1003, nm_id: 500302 }

/** A kept plan that bids 300 rubles for some clusters of one article; the unit is told by the bids of another. */
export const clusterPlan = Effect.fnUntraced(function* (...clusters: ReadonlyArray<string>) {
  const { guards, wire } = yield* MarketplaceConfig
  const campaigns = yield* campaignsOf(1003)
  const wishes = clusters.map((norm_query) => ({ ...pair, norm_query, to: kopecks(30_000) }))
  const { bids: current } = yield* MarketplaceAds.use((ads) => ads.getNormqueryBids({ items: [pair, neighbour] }))
  return yield* Plans.use((plans) => plans.keep(planClusterBids({ campaigns, current, wishes, wire, guards })))
})

export const bidsSet = Effect.map(
  Effect.flatMap(EmbeddedMarketplace, (world) => world.account),
  ({ clusterBids }) =>
    Object.fromEntries(
      [...clusterBids]
        .map(([key, bid]) => ({ place: key.split(":"), bid: Number(bid) }))
        .filter(({ place }) => place[1] === String(pair.nm_id))
        .map(({ bid, place }) => [place[2], bid])
    )
)

const Sent = Schema.fromJsonString(
  Schema.Struct({ bids: Schema.Array(Schema.Struct({ norm_query: Schema.String, bid: Schema.Int })) })
)

/** The numbers that are sent to set cluster bids, call by call; the test may answer some of it itself. */
export const watchedBids = (answer: (bids: string) => Canned | undefined = () => undefined) => {
  const sent: Array<string> = []
  const onCall = (path: string, body: string, method: string) => {
    if (method !== "POST" || !path.endsWith("normquery/bids")) return undefined
    const { bids } = Schema.decodeUnknownSync(Sent)(body)
    const said = bids.map(({ bid, norm_query }) => `${norm_query} ${bid}`).join(", ")
    sent.push(said)
    return answer(said)
  }
  return { sent, onCall }
}

const Answer = Schema.fromJsonString(
  Schema.Struct({ bids: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) })
)

/** The answer of get-bids, changed by the test. */
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

/** The answer of a tool. */
export const call = Effect.fnUntraced(function* (name: string, args: object) {
  return yield* Schema.decodeUnknownEffect(Schema.Record(Schema.String, Schema.Unknown))(yield* answerTo(name, args))
})
