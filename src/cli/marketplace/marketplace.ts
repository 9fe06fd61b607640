import { Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"

import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { PlanJournal, Plans } from "../../marketplace/apply/Plans.ts"
import { MarketplaceAds } from "../../marketplace/client/MarketplaceAds.ts"
import { decode, MarketplaceConfig } from "../../marketplace/client/MarketplaceConfig.ts"
import { EmbeddedMarketplace } from "../../marketplace/embedded/EmbeddedMarketplace.ts"
import { LowestBids } from "../../marketplace/report/LowestBids.ts"
import { adsPlans } from "../../marketplace/tools/catalog.ts"
import { MarketplaceToolset } from "../../marketplace/toolset.ts"
import * as Toolset from "../../mcp/Toolset.ts"
import type { Launch } from "../configuration/Launch.ts"
import { configured } from "./configured.ts"

const services = Layer.merge(Plans.layer, LowestBids.layer).pipe(Layer.provideMerge(MarketplaceAds.layer))

/** The toolset `marketplace` over the configured marketplace, or the embedded one. */
export const load = (launch: Launch) => {
  const marketplace = launch.embedded === undefined ? configured(launch) : embedded(launch)
  return Layer.build(Layer.provideMerge(services, marketplace)).pipe(
    Effect.catchTag("UnusableConnection", ({ message }) =>
      Effect.fail(new ConfigurationError({ message: `marketplace: ${message}` }))
    ),
    Effect.flatMap((context) => {
      const { check, ...toolset } = Toolset.provide(MarketplaceToolset, context)
      const isChecked = launch.embedded === undefined && check !== undefined
      return Effect.map(Effect.provideContext(adsPlans, context), (source) => ({
        toolset: isChecked ? { ...toolset, check } : toolset,
        plans: { isWritable: source.isWritable, source: Effect.succeed(source) }
      }))
    })
  )
}

/** The marketplace in this process, writable unless the server is read-only: a whole migration can be tried on it. */
const embedded = ({ readOnly }: Launch) =>
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
