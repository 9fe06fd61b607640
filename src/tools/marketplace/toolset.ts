import { Effect } from "effect"

import type { Plans } from "../../marketplace/apply/Plans.ts"
import { readOnlyReason } from "../../marketplace/keyRules.ts"
import type { LowestBids } from "../../marketplace/LowestBids.ts"
import type { MarketplaceAds } from "../../marketplace/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../marketplace/MarketplaceConfig.ts"
import type { Tool } from "../Tool.ts"
import { auditLog } from "./audit.ts"
import * as Bids from "./bids.ts"
import { checkKey } from "./checkKey.ts"
import * as Contents from "./contents.ts"
import { withDeadline } from "./deadline.ts"
import * as Kept from "./kept.ts"
import { planMigrationTool } from "./migration.ts"
import * as Reads from "./reads.ts"
import * as Statistics from "./statistics.ts"
import * as Writes from "./writes.ts"

/** What the tools of this toolset work on. */
export type Needs = LowestBids | MarketplaceAds | MarketplaceConfig | Plans

const reading: ReadonlyArray<Tool<Needs>> = [
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

/** Tools that change nothing at the marketplace: reads, and plans. Only a way back cannot be asked for in parts. */
export const readTools = reading.map((tool) => (tool === Kept.rollback ? tool : withDeadline(tool)))

/** Tools that change something there; listed only where that is allowed. */
export const writeTools: ReadonlyArray<Tool<Needs>> = [Writes.applyPlan, Writes.startCampaign, Writes.pauseCampaign]

/** In the order in which they are listed. */
const marketplaceTools = ({ readOnly }: { readonly readOnly: boolean }): ReadonlyArray<Tool<Needs>> =>
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
