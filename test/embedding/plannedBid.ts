import { Effect } from "effect"
import {
  MarketplaceAds,
  MarketplaceConfig,
  planBids,
  AdsPlans,
  type Rubles,
  rublesToKopecks
} from "workflow-tool-server/marketplace"

/** Sets the bid of an article through a plan, which is subject to the guards, and returns the plan that would undo it. */
export const setBid = Effect.fn(function* (advert_id: number, nm_id: number, rubles: Rubles) {
  const plans = yield* AdsPlans
  const { guards } = yield* MarketplaceConfig
  const { adverts: campaigns } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2({ ids: [advert_id] }))
  const draft = planBids({
    campaigns,
    guards,
    floors: [],
    onBelowFloor: "block",
    wishes: [{ advert_id, nm_id, placement: "search", to: { kopecks: rublesToKopecks(rubles) } }]
  })
  const { id } = yield* plans.keep(draft)
  const { done, refused } = yield* plans.apply(id)
  const back = yield* plans.rollback(id)
  return { done, refused, back: back.id }
})
