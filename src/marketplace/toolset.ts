import { Clock, Effect } from "effect"

import type { Finding, Offer, Toolset } from "../mcp/Toolset.ts"
import { explain } from "./apply/advice.ts"
import { keyReport, readOnlyReason } from "./client/keyRules.ts"
import { MarketplaceAds } from "./client/MarketplaceAds.ts"
import { MarketplaceConfig, type MarketplaceSettings } from "./client/MarketplaceConfig.ts"
import { type Needs, readTools, toolsForReading, writeTools } from "./tools/catalog.ts"
import { reportResources } from "./tools/report.ts"

const instructions =
  "The ads_ tools manage a seller's advertising campaigns on a marketplace. Whatever changes money is planned first " +
  "(ads_plan_…), shown to a person, and applied once they agree (apply_plan); plan_rollback plans the rollback. " +
  "Bids are whole kopecks, 100 to the ruble. `next` in every answer says how to go on."

const data = ["names", "search phrases"]

/** Calls the marketplace once and reports what the key allows. */
const check = Effect.gen(function* () {
  const settings = yield* MarketplaceConfig
  const { all } = yield* MarketplaceAds.use((ads) => ads.getCampaignCount())
  return inWords(settings, all, yield* Clock.currentTimeMillis)
}).pipe(
  Effect.match({
    onSuccess: (words): ReadonlyArray<Finding> => [{ fine: true, words: `marketplace: ${words}` }],
    onFailure: (error): ReadonlyArray<Finding> => [{ fine: false, words: `marketplace: ${explain(error)}` }]
  })
)

const inWords = (settings: MarketplaceSettings, campaigns: number, now: number): string => {
  const { advice, daysLeft, kind, mayNotWrite } = keyReport(settings, now)
  const facts = [
    kind === "unknown" ? "a key that does not tell its kind" : `a ${kind} key`,
    ...(daysLeft === undefined || daysLeft < 0 ? [] : [`${daysLeft} days left`]),
    campaigns === 1 ? "1 campaign" : `${campaigns} campaigns`
  ]
  return [
    `${settings.baseUrl} answers and takes the key: ${facts.join(", ")}.`,
    mayNotWrite === undefined ? "Campaigns may be changed." : `Nothing may be changed: ${mayNotWrite}.`,
    ...advice
  ].join(" ")
}

/** The toolset `marketplace`: campaigns, their statistics, and plans that change them. */
export const MarketplaceToolset: Toolset<Needs> = {
  name: "marketplace",
  instructions,
  data,
  tools: [...readTools, ...writeTools],
  resources: reportResources,
  narrow: Effect.gen(function* () {
    const isReadOnly = readOnlyReason(yield* MarketplaceConfig, yield* Clock.currentTimeMillis) !== undefined
    return {
      instructions,
      data,
      tools: isReadOnly ? toolsForReading : [...readTools, ...writeTools],
      resources: reportResources
    } satisfies Offer<Needs>
  }),
  check
}
