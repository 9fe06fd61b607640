import { Effect } from "effect"

import type { MarketplaceAds } from "../../marketplace/MarketplaceAds.ts"
import { readOnlyReason } from "../../marketplace/MarketplaceClient.ts"
import { MarketplaceConfig } from "../../marketplace/MarketplaceConfig.ts"
import type { LowestBids } from "../../marketplace/plan/LowestBids.ts"
import type { Plans } from "../../marketplace/plan/Plans.ts"
import type { Tool } from "../Tool.ts"
import { auditLog } from "./audit.ts"
import * as Bids from "./bids.ts"
import { checkKey } from "./checkKey.ts"
import * as Contents from "./contents.ts"
import * as Kept from "./kept.ts"
import { planMigrationTool } from "./migration.ts"
import * as Reads from "./reads.ts"
import * as Statistics from "./statistics.ts"
import * as Writes from "./writes.ts"

/** What the tools of this toolset work on. */
export type Needs = LowestBids | MarketplaceAds | MarketplaceConfig | Plans

/** Tools that change nothing at the marketplace: reads, and plans. */
export const readTools: ReadonlyArray<Tool<Needs>> = [
  checkKey,
  Reads.listCampaigns,
  Reads.getCampaign,
  Statistics.campaignStats,
  Statistics.clusterStats,
  Statistics.keywordStats,
  Reads.getMinusPhrases,
  Reads.minBids,
  Bids.planBidsTool,
  Contents.planMinusPhrasesTool,
  Contents.planProductsTool,
  Bids.planClusterBidsTool,
  planMigrationTool,
  Contents.planCampaignTool,
  Kept.showPlan,
  Kept.rollback,
  auditLog
]

/** Tools that change something there; listed only where that is allowed. */
export const writeTools: ReadonlyArray<Tool<Needs>> = [Writes.applyPlan, Writes.startCampaign, Writes.pauseCampaign]

/** The toolset `marketplace`, in the order in which it is listed. */
export const marketplaceTools = ({ readOnly }: { readonly readOnly: boolean }): ReadonlyArray<Tool<Needs>> =>
  readOnly ? readTools : [...readTools, ...writeTools]

/** The toolset with everything it needs, as the server takes it; without the writes where nothing may be written. */
export const offered: Effect.Effect<ReadonlyArray<Tool>, never, Needs> = Effect.gen(function* () {
  const readOnly = readOnlyReason(yield* MarketplaceConfig) !== undefined
  const context = yield* Effect.context<Needs>()
  return marketplaceTools({ readOnly }).map((tool) => ({
    ...tool,
    call: (input) => Effect.provideContext(tool.call(input), context)
  }))
})
