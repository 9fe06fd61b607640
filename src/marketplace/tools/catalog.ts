import { Effect } from "effect"

import * as PlanSource from "../../changes/tools/PlanSource.ts"
import type { Tool } from "../../mcp/Tool.ts"
import { Plans } from "../apply/Plans.ts"
import type { LowestBids } from "../client/LowestBids.ts"
import type { MarketplaceAds } from "../client/MarketplaceAds.ts"
import type { MarketplaceConfig } from "../client/MarketplaceConfig.ts"
import * as Articles from "./articles.ts"
import * as Campaigns from "./campaigns.ts"
import { checkKey } from "./checkKey.ts"
import { withDeadline } from "./deadline.ts"
import { refusal } from "./errors.ts"
import { planBidsTool, planClusterBidsTool } from "./plans/bids.ts"
import { planCampaignTool, planMinusPhrasesTool, planProductsTool } from "./plans/contents.ts"
import { planMigrationTool } from "./plans/migration.ts"
import { pauseCampaign, startCampaign } from "./startPause.ts"
import * as Statistics from "./statistics.ts"

/** The services that the tools of this toolset need. */
export type Needs = LowestBids | MarketplaceAds | MarketplaceConfig | Plans

const reading: ReadonlyArray<Tool<Needs>> = [
  checkKey,
  Campaigns.listCampaigns,
  Campaigns.getCampaign,
  Statistics.campaignStats,
  Statistics.clusterStats,
  Statistics.keywordStats,
  Articles.getMinusPhrases,
  Articles.minBids,
  planBidsTool,
  planMinusPhrasesTool,
  planProductsTool,
  planClusterBidsTool,
  planMigrationTool,
  planCampaignTool
]

/** Tools that change nothing at the marketplace: reads, and plans. */
export const readTools = reading.map((tool) => withDeadline(tool))

/** Tools that change something there; offered only if writes are allowed. */
export const writeTools: ReadonlyArray<Tool<Needs>> = [startCampaign, pauseCampaign]

/** The plans of campaigns, for the tools that show, apply and roll back plans of any upstream. */
export const adsPlans = Effect.map(Plans, (plans) => PlanSource.make(plans, refusal))
