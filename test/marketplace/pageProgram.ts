import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"

import { MarketplaceAds, MarketplaceConfig } from "../../src/marketplace/index.ts"

const program = Effect.gen(function* () {
  const ads = yield* MarketplaceAds
  const { adverts } = yield* ads.getAdvertsV2({ statuses: [9] })
  return adverts.map(({ id, settings }) => `${id} ${settings.name}`)
})

/** Starts a campaign, and says if it has no money. */
export const started = (advertId: number) =>
  MarketplaceAds.use((ads) => ads.startCampaign(advertId)).pipe(
    Effect.as("started"),
    Effect.catchReason("MarketplaceError", "LowBudget", () => Effect.succeed("no money"))
  )

export const names = program.pipe(
  Effect.provide(
    MarketplaceAds.layer.pipe(Layer.provide([MarketplaceConfig.layer({ apiKey: "the key" }), FetchHttpClient.layer]))
  )
)
