import { Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"

import { PlanJournal } from "../../marketplace/apply/Plans.ts"
import { decode, MarketplaceConfig } from "../../marketplace/client/MarketplaceConfig.ts"
import { EmbeddedMarketplace } from "../../marketplace/embedded/EmbeddedMarketplace.ts"
import type { Launch } from "../configuration/Launch.ts"

/** The marketplace in this process, writable unless the server is read-only: a whole migration can be tried on it. */
export const embedded = ({ readOnly }: Launch) =>
  Layer.unwrap(
    Effect.map(EmbeddedMarketplace, ({ apiKey, host, httpClient }) => {
      const settings = Effect.map(
        decode({ baseUrl: host, apiKey: Redacted.value(apiKey), readOnly: false }),
        (settings) => ({ ...settings, serverReadOnly: readOnly })
      )
      return Layer.mergeAll(
        Layer.effect(MarketplaceConfig, settings),
        Layer.succeed(HttpClient.HttpClient, httpClient),
        PlanJournal.layerMemory
      )
    })
  ).pipe(Layer.provide(EmbeddedMarketplace.layer()))
