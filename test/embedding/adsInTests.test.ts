import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EmbeddedMarketplace } from "workflow-tool-server/embedded/marketplace"
import { AdsPlans, MarketplaceAds, Rubles } from "workflow-tool-server/marketplace"

import { TestAds } from "./adsInTests.ts"
import { setBid } from "./plannedBid.ts"

layer(TestAds)("the marketplace in tests of one's own", (it) => {
  it.effect("is read and changed through MarketplaceAds, without a socket", () =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const { adverts } = yield* ads.getAdvertsV2({ ids: [1004] })
      assert.deepStrictEqual(
        adverts.map(({ status }) => status),
        [11]
      )
      for (const { id } of adverts) yield* ads.startCampaign(id)
      const { adverts: kept } = yield* (yield* EmbeddedMarketplace).account
      assert.strictEqual(kept.get(1004)?.status, 9)
    })
  )
})

it.live("the marketplace in tests of one's own is changed through plans, and back", () =>
  Effect.gen(function* () {
    const bid = Effect.map(
      MarketplaceAds.use((ads) => ads.getAdvertsV2({ ids: [1003] })),
      ({ adverts }) => adverts[0]?.nm_settings?.[0]?.bids_kopecks
    )
    const before = yield* bid
    const { back, ...set } = yield* setBid(1003, 500301, Rubles.make("290.50"))
    assert.deepStrictEqual(set, { done: 1, refused: [] })
    assert.propertyVal(yield* bid, "search", 29050)
    yield* AdsPlans.use((plans) => plans.apply(back))
    assert.deepStrictEqual(yield* bid, before)
  }).pipe(Effect.provide(TestAds))
)
