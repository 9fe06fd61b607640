import { Effect, Layer } from "effect"
import { Schema } from "effect"
import { HttpClient } from "effect/http"

import {
  EmbeddedMarketplace,
  type EmbeddedMarketplaceOptions
} from "../../src/embedded/marketplace/EmbeddedMarketplace.ts"
import { MarketplaceAds } from "../../src/marketplace/MarketplaceAds.ts"
import { MarketplaceConfig, MarketplaceSettings } from "../../src/marketplace/MarketplaceConfig.ts"
import { Plans } from "../../src/marketplace/plan/Plans.ts"
import { PlanStore } from "../../src/marketplace/plan/PlanStore.ts"

export type Given = Partial<typeof MarketplaceSettings.Encoded>

/** Settings of a writable marketplace at the embedded one's address. */
export const settings = (given: Given = {}): MarketplaceSettings =>
  Schema.decodeUnknownSync(MarketplaceSettings)({
    baseUrl: "http://127.0.0.1:5679",
    apiKey: "embedded",
    readOnly: false,
    ...given
  })

/** The client over whatever answers HTTP. */
export const adsOver = (client: Layer.Layer<HttpClient.HttpClient>, given: Given = {}) =>
  MarketplaceAds.layer.pipe(
    Layer.provideMerge(Layer.succeed(MarketplaceConfig, settings(given))),
    Layer.provide(client)
  )

const embeddedClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(EmbeddedMarketplace, ({ httpClient }) => httpClient)
)

/** The client and the plans over an embedded marketplace. */
export const marketplace = (given: Given = {}, options: EmbeddedMarketplaceOptions = {}) =>
  Plans.layer.pipe(
    Layer.provideMerge(MarketplaceAds.layer),
    Layer.provideMerge(
      Layer.mergeAll(Layer.succeed(MarketplaceConfig, settings(given)), PlanStore.layerMemory, embeddedClient)
    ),
    Layer.provideMerge(EmbeddedMarketplace.layer(options))
  )
