import { Effect, Layer } from "effect"

import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { Plans } from "../../marketplace/apply/Plans.ts"
import { LowestBids } from "../../marketplace/client/LowestBids.ts"
import { MarketplaceAds } from "../../marketplace/client/MarketplaceAds.ts"
import { adsPlans } from "../../marketplace/tools/plans/source.ts"
import { MarketplaceToolset } from "../../marketplace/toolset.ts"
import * as Toolset from "../../mcp/Toolset.ts"
import type { Launch } from "../configuration/Launch.ts"
import { configured } from "./configured.ts"
import { embedded } from "./embedded.ts"

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
