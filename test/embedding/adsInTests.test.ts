import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EmbeddedMarketplace } from "workflow-tool-server/embedded/marketplace"
import { MarketplaceAds } from "workflow-tool-server/marketplace"

import { TestAds } from "./adsInTests.ts"

layer(TestAds)("the marketplace in tests of one's own", (it) => {
  it.effect("is read and changed through MarketplaceAds, without a socket", () =>
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const { adverts } = yield* ads.getAdvertsV2({ statuses: [11] })
      assert.lengthOf(adverts, 1)
      for (const { id } of adverts) yield* ads.startCampaign(id)
      const { adverts: kept } = yield* (yield* EmbeddedMarketplace).account
      assert.deepStrictEqual(
        adverts.map(({ id }) => kept.get(id)?.status),
        [9]
      )
    })
  )
})
