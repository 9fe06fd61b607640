import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { EmbeddedMarketplace } from "workflow-tool-server/embedded/marketplace"
import { AdsJournal, AdsPlans, MarketplaceAds, MarketplaceConfig } from "workflow-tool-server/marketplace"

/** Clients and plans over a made-up account in this process; `EmbeddedMarketplace` shows its contents afterwards. */
export const TestAds = AdsPlans.layer.pipe(
  Layer.provideMerge(MarketplaceAds.layer),
  Layer.provide(AdsJournal.layerMemory),
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(EmbeddedMarketplace, ({ apiKey, host, httpClient }) =>
        Layer.merge(
          MarketplaceConfig.layer({ apiKey, baseUrl: host, readOnly: false }),
          Layer.succeed(HttpClient.HttpClient, httpClient)
        )
      )
    )
  ),
  Layer.provideMerge(EmbeddedMarketplace.layer())
)
