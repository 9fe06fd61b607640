import { Effect } from "effect"

import { Plans } from "../../src/marketplace/apply/Plans.ts"
import type { Campaign } from "../../src/marketplace/client/Campaign.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../src/marketplace/client/MarketplaceConfig.ts"
import { Kopecks } from "../../src/marketplace/client/money.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { type BidWish, planBids } from "../../src/marketplace/plan/planBids.ts"
import { planProducts } from "../../src/marketplace/plan/planProducts.ts"

export const kopecks = (amount: number) => Kopecks.make(amount)

export const campaignsOf = (...ids: ReadonlyArray<number>) =>
  Effect.map(
    MarketplaceAds.use((ads) => ads.getAdvertsV2({ ids })),
    ({ adverts }) => adverts
  )

export const only = Effect.fnUntraced(function* (id: number) {
  const [campaign] = yield* campaignsOf(id)
  return campaign === undefined ? yield* Effect.die(`no campaign ${id}`) : campaign
})

/** A kept plan that sets the bids of article 500101 and 500102 of campaign 1001. */
export const bidPlan = Effect.fnUntraced(function* (amount = 30_000) {
  const { guards } = yield* MarketplaceConfig
  const wishes = [500101, 500102].map((nm_id): BidWish => ({
    advert_id: 1001,
    nm_id,
    to: { kopecks: kopecks(amount) }
  }))
  const campaigns: ReadonlyArray<Campaign> = yield* campaignsOf(1001)
  return yield* Plans.use((plans) =>
    plans.keep(planBids({ campaigns, wishes, floors: [], onBelowFloor: "block", guards }))
  )
})

/** A kept plan that deletes article 500301, with its phrases and a cluster bid; and the account before it. */
export const deletionPlan = Effect.gen(function* () {
  const ads = yield* MarketplaceAds
  const { guards } = yield* MarketplaceConfig
  const pair = { advert_id: 1003, nm_id: 500301 }
  yield* ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "diary", bid: kopecks(40_000) }] })
  const before = yield* Effect.flatMap(EmbeddedMarketplace, ({ account }) => account)
  const { items: phrases } = yield* ads.getMinusPhrases({ items: [pair] })
  const { bids: clusterBids } = yield* ads.getNormqueryBids({ items: [pair] })
  const input = { campaign: yield* only(1003), add: [], delete: [500301], phrases, clusterBids, guards }
  const { id } = yield* Plans.use((plans) => plans.keep(planProducts(input)))
  return { id, before }
})

export const apply = (id: string) => Plans.use((plans) => plans.apply(id))
export const applyFails = (id: string) => Effect.flip(apply(id))

export const bidsNow = Effect.map(
  Effect.flatMap(EmbeddedMarketplace, (world) => world.account),
  ({ adverts }) => adverts.get(1001)?.rows.map(({ search }) => Number(search))
)
