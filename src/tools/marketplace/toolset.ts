import { Effect } from "effect"

import type { MarketplaceAds } from "../../marketplace/MarketplaceAds.ts"
import { readOnlyReason } from "../../marketplace/MarketplaceClient.ts"
import { MarketplaceConfig } from "../../marketplace/MarketplaceConfig.ts"
import type { Plans } from "../../marketplace/plan/Plans.ts"
import type { Tool } from "../Tool.ts"
import { auditLog } from "./audit.ts"
import { checkKey } from "./checkKey.ts"
import { planMigrationTool } from "./migration.ts"
import * as PlanTools from "./plans.ts"
import * as Reads from "./reads.ts"
import * as Writes from "./writes.ts"

/** What the tools of this toolset work on. */
export type Needs = MarketplaceAds | MarketplaceConfig | Plans

/** Tools that change nothing at the marketplace: reads, and plans. */
export const readTools: ReadonlyArray<Tool<Needs>> = [
  checkKey,
  Reads.listCampaigns,
  Reads.getCampaign,
  Reads.campaignStats,
  Reads.clusterStats,
  Reads.keywordStats,
  Reads.getMinusPhrases,
  Reads.minBids,
  PlanTools.planBidsTool,
  PlanTools.planMinusPhrasesTool,
  PlanTools.planProductsTool,
  PlanTools.planClusterBidsTool,
  planMigrationTool,
  PlanTools.planCampaignTool,
  PlanTools.showPlan,
  PlanTools.rollback,
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
