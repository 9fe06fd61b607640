import { Clock, Effect } from "effect"

import * as PlanSource from "../../changes/tools/PlanSource.ts"
import * as Tool from "../../mcp/Tool.ts"
import { explain } from "../apply/advice.ts"
import { readOnly } from "../apply/failures.ts"
import { Plans } from "../apply/Plans.ts"
import { readOnlyReason } from "../client/keyRules.ts"
import type { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../client/MarketplaceConfig.ts"
import { differencesElsewhere, setSince } from "../plan/elsewhere.ts"
import type { KeptStatistics } from "../report/KeptStatistics.ts"
import type { LowestBids } from "../report/LowestBids.ts"
import { seeAccount } from "../report/seen.ts"
import * as Articles from "./articles.ts"
import * as Campaigns from "./campaigns.ts"
import { checkKey } from "./checkKey.ts"
import { gatheringUntil, withDeadline } from "./deadline.ts"
import { refusal } from "./errors.ts"
import { overview } from "./overview.ts"
import { planBidsTool, planClusterBidsTool } from "./plans/bids.ts"
import { planCampaignTool, planMinusPhrasesTool, planProductsTool } from "./plans/contents.ts"
import { planMigrationTool } from "./plans/migration.ts"
import { planRulesTool } from "./plans/rules.ts"
import { planMoneyTool, planStateTool } from "./plans/running.ts"
import { report } from "./report.ts"
import { pauseCampaign, startCampaign } from "./startPause.ts"

/** The services that the tools of this toolset need. */
export type Needs = KeptStatistics | LowestBids | MarketplaceAds | MarketplaceConfig | Plans

const reading: ReadonlyArray<Tool.Tool<Needs>> = [
  checkKey,
  overview,
  Campaigns.listCampaigns,
  Campaigns.getCampaign,
  report,
  Articles.getMinusPhrases,
  Articles.minBids,
  planBidsTool,
  planMinusPhrasesTool,
  planProductsTool,
  planClusterBidsTool,
  planMigrationTool,
  planCampaignTool,
  planRulesTool,
  planStateTool,
  planMoneyTool
]

/** Tools that change nothing at the marketplace: reads, and plans. */
export const readTools = reading.map((tool) => withDeadline(Tool.lean(tool)))

/** Tools that change something there; listed only if writes are allowed. */
export const writeTools: ReadonlyArray<Tool.Tool<Needs>> = [startCampaign, pauseCampaign].map((tool) => Tool.lean(tool))

/** Every tool where nothing may be written: those that would write are not listed, and say why where they are called. */
export const toolsForReading: ReadonlyArray<Tool.Tool<Needs>> = [
  ...readTools,
  ...writeTools.map((tool): Tool.Tool<Needs> => ({
    ...tool,
    isListed: false,
    call: (input) =>
      Effect.flatMap(Effect.zip(MarketplaceConfig, Clock.currentTimeMillis), ([settings, now]) => {
        const reason = readOnlyReason(settings, now)
        return reason === undefined ? tool.call(input) : Effect.fail(refusal(readOnly(tool.name, reason)))
      })
  }))
]

/** The plans of campaigns, for the tools that show, apply and roll back plans of any upstream. */
export const adsPlans = Effect.gen(function* () {
  const plans = yield* Plans
  const context = yield* Effect.context<KeptStatistics | MarketplaceAds>()
  const source: PlanSource.PlanSource = {
    ...PlanSource.make(plans, refusal),
    changedElsewhere: Effect.gen(function* () {
      const { before, look, now, problem, unread } = yield* Effect.mapError(seeAccount(yield* gatheringUntil), refusal)
      const why = problem === undefined ? "" : `: ${explain(problem)}`
      const articles = unread === 1 ? "1 article" : `${unread} articles`
      const note =
        unread === 0 ? {} : { note: `The phrases and cluster bids of ${articles} are not compared${why || unreadYet}` }
      if (before === undefined) return { since: undefined, rows: [], look, ...note }
      const entries = yield* plans.entries
      const moments = new Map<number, ReturnType<typeof setSince>>()
      const oursSince = (moment: number) => {
        const ours = moments.get(moment) ?? setSince(entries, moment - readModelMs)
        moments.set(moment, ours)
        return ours
      }
      return { since: before.at, rows: differencesElsewhere(before, now, oursSince), look, ...note }
    }).pipe(Effect.provide(context))
  }
  return source
})

const unreadYet = ": there was no time. Those that were seen longest ago come first, so the next calls come to them."

/** Milliseconds by which what was read may lag behind what was written. */
const readModelMs = 200_000
