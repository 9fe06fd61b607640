import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { EmbeddedMarketplace } from "workflow-tool-server/embedded/marketplace"
import { MarketplaceAds, MarketplaceConfig } from "workflow-tool-server/marketplace"

/** `MarketplaceAds` over a made-up account in this process; what is in the account afterwards, `EmbeddedMarketplace` tells. */
export const TestAds = MarketplaceAds.layer.pipe(
  Layer.provide(
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
