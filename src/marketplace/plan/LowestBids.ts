import { Cache, Context, Effect, Exit, Layer } from "effect"

import type { BidsMinRequest } from "../Bids.ts"
import { type Campaign, paymentOf, type Placement, placementsOf } from "../Campaign.ts"
import { MarketplaceAds } from "../MarketplaceAds.ts"
import type { MarketplaceError } from "../MarketplaceError.ts"
import type { Floor } from "./floors.ts"

/** The lowest bids, kept for ten minutes: a plan that is made again need not wait for them under their tight limit. */
export class LowestBids extends Context.Service<
  LowestBids,
  {
    /** Those of some articles of a campaign, at its own placements where none are given. */
    readonly of: (
      campaign: Campaign,
      nm_ids: ReadonlyArray<number>,
      placements?: ReadonlyArray<Placement>
    ) => Effect.Effect<ReadonlyArray<Floor>, MarketplaceError>
  }
>()("workflow-tool-server/marketplace/LowestBids") {
  static readonly layer: Layer.Layer<LowestBids, never, MarketplaceAds> = Layer.effect(
    LowestBids,
    Effect.gen(function* () {
      const ads = yield* MarketplaceAds
      const answers = yield* Cache.makeWith((request: BidsMinRequest) => ads.getBidsMin(request), {
        capacity: 1000,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? "10 minutes" : 0)
      })

      const of = Effect.fn("LowestBids.of")(function* (
        campaign: Campaign,
        nm_ids: ReadonlyArray<number>,
        placements: ReadonlyArray<Placement> = placementsOf(campaign)
      ) {
        const payment_type = paymentOf(campaign)
        const request = { advert_id: campaign.id, nm_ids, payment_type, placement_types: placements }
        const { bids } = yield* Cache.get(answers, request)
        return bids.flatMap(({ bids: lowest, nm_id }): ReadonlyArray<Floor> =>
          placements.flatMap((placement) => {
            const kopecks = lowest.find(({ type }) => type === placement)?.value
            return kopecks === undefined ? [] : [{ nm_id, placement, payment_type, kopecks }]
          })
        )
      })

      return LowestBids.of({ of })
    })
  )
}
