import type { Tool } from "../../mcp/Tool.ts"
import type { Plans } from "../apply/Plans.ts"
import type { LowestBids } from "../client/LowestBids.ts"
import type { MarketplaceAds } from "../client/MarketplaceAds.ts"
import type { MarketplaceConfig } from "../client/MarketplaceConfig.ts"
import * as Articles from "./articles.ts"
import * as Campaigns from "./campaigns.ts"
import { checkKey } from "./checkKey.ts"
import { withDeadline } from "./deadline.ts"
import { applyPlan } from "./plans/apply.ts"
import { auditLog } from "./plans/audit.ts"
import { planBidsTool } from "./plans/bids.ts"
import { planCampaignTool } from "./plans/campaign.ts"
import { planClusterBidsTool } from "./plans/clusterBids.ts"
import { planMigrationTool } from "./plans/migration.ts"
import { planMinusPhrasesTool } from "./plans/minusPhrases.ts"
import { planProductsTool } from "./plans/products.ts"
import { rollback } from "./plans/rollback.ts"
import { showPlan } from "./plans/show.ts"
import { pauseCampaign, startCampaign } from "./startPause.ts"
import * as Statistics from "./statistics.ts"

/** What the tools of this toolset work on. */
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
  planCampaignTool,
  showPlan,
  rollback,
  auditLog
]

/** Tools that change nothing at the marketplace: reads, and plans. Only a way back cannot be asked for in parts. */
export const readTools = reading.map((tool) => (tool === rollback ? tool : withDeadline(tool)))

/** Tools that change something there; offered only where that is allowed. */
export const writeTools: ReadonlyArray<Tool<Needs>> = [applyPlan, startCampaign, pauseCampaign]
