import { Effect, Layer } from "effect"

import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { Plans } from "../../marketplace/apply/Plans.ts"
import { LowestBids } from "../../marketplace/client/LowestBids.ts"
import { MarketplaceAds } from "../../marketplace/client/MarketplaceAds.ts"
import { offered } from "../../marketplace/tools/catalog.ts"
import type { FurtherToolset } from "../FurtherToolset.ts"
import type { Launch } from "../Launch.ts"
import { check } from "./check.ts"
import { configured } from "./configured.ts"
import { embedded } from "./embedded.ts"

const tools = Effect.fnUntraced(function* (launch: Launch) {
  const marketplace = launch.embedded === undefined ? configured(launch) : embedded(launch)
  const context = yield* Layer.build(Layer.provideMerge(work, marketplace)).pipe(
    Effect.catchTag("UnusableConnection", ({ message }) =>
      Effect.fail(new ConfigurationError({ message: `marketplace: ${message}` }))
    )
  )
  return yield* Effect.provideContext(offered, context)
})

const work = Layer.merge(Plans.layer, LowestBids.layer).pipe(Layer.provideMerge(MarketplaceAds.layer))

const instructions =
  "The ads_ tools manage a seller's advertising campaigns on a marketplace. Whatever changes money is planned first " +
  "(ads_plan_…), shown to a person, and applied once they agree (ads_apply_plan); ads_rollback plans the way back. " +
  "Bids are whole kopecks, 100 to the ruble. `next` in every answer says how to go on."

/** The toolset `marketplace`, over the configured marketplace or the one in this process. */
export const toolset: FurtherToolset = { instructions, tools, check }
