import { Clock, Effect, Layer } from "effect"

import { keyReport } from "../../marketplace/client/keyReport.ts"
import { MarketplaceAds } from "../../marketplace/client/MarketplaceAds.ts"
import { MarketplaceConfig, type MarketplaceSettings } from "../../marketplace/client/MarketplaceConfig.ts"
import type { Finding } from "../check.ts"
import type { Launch } from "../Launch.ts"
import { client, readSettings } from "./configured.ts"

/** Calls the configured marketplace once and tells what it makes of the key; says nothing of the embedded one. */
export const check = (launch: Launch): Effect.Effect<ReadonlyArray<Finding>> =>
  launch.embedded === undefined ? Effect.map(look(launch), (finding) => [finding]) : Effect.succeed([])

const look = Effect.fnUntraced(
  function* (launch: Launch) {
    const settings = yield* readSettings(launch)
    const ads = MarketplaceAds.layer.pipe(Layer.provide([Layer.succeed(MarketplaceConfig, settings), client]))
    const { all } = yield* Effect.provide(callOnce, ads)
    return inWords(settings, all, yield* Clock.currentTimeMillis)
  },
  Effect.match({
    onSuccess: (words): Finding => ({ fine: true, words: `marketplace: ${words}` }),
    onFailure: ({ _tag, message }): Finding => ({
      fine: false,
      words: _tag === "ConfigurationError" ? message : `marketplace: ${message}`
    })
  })
)

const callOnce = MarketplaceAds.use((ads) => ads.getCampaignCount())

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
