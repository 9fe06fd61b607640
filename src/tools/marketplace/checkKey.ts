import { Clock, Effect } from "effect"

import { readKey } from "../../marketplace/ApiKey.ts"
import { MarketplaceAds } from "../../marketplace/MarketplaceAds.ts"
import { keyKind, limitOf, readOnlyReason } from "../../marketplace/MarketplaceClient.ts"
import { MarketplaceConfig } from "../../marketplace/MarketplaceConfig.ts"
import { hosts } from "../../marketplace/naming.ts"
import { reads } from "../annotations.ts"
import * as Tool from "../Tool.ts"
import { orRefuse } from "./refusal.ts"
import * as results from "./results.ts"

const dayMs = 86_400_000

export const checkKey = Tool.make("ads_check_key", {
  title: "Check key",
  description:
    "What the marketplace key is and may do, and whether the marketplace takes it; the key itself is never shown",
  annotations: reads,
  arguments: {},
  result: results.key,
  run: Effect.fn("ads_check_key")(function* () {
    const settings = yield* MarketplaceConfig
    const { expires, promotion } = readKey(settings.apiKey)
    const kind = keyKind(settings)
    const forbidden = readOnlyReason(settings)
    const count = yield* MarketplaceAds.use((ads) => ads.getCampaignCount())
    const now = yield* Clock.currentTimeMillis
    const { limit, periodMs } = limitOf(settings, "getAdvertsV2")
    const advice = [
      ...(kind === "test" && settings.baseUrl === hosts.production
        ? ["A test key belongs to the sandbox, not to the real marketplace."]
        : []),
      ...(promotion === false ? ["The key has no promotion right: make one that has it."] : []),
      ...(kind === "base"
        ? ["A base key may read the campaigns once an hour: a personal key is needed to plan and apply."]
        : [])
    ]
    return {
      host: settings.baseUrl,
      accepted: true,
      kind,
      promotion_right: promotion ?? null,
      days_left: expires === undefined ? null : Math.floor((expires * 1000 - now) / dayMs),
      may_write: forbidden === undefined,
      ...(forbidden === undefined ? {} : { why_not: forbidden }),
      campaign_reads: `${limit} in ${periodMs / 1000} s`,
      wire: settings.wire,
      campaigns: count.all,
      next: advice.length === 0 ? "The key works: ads_list_campaigns shows the campaigns." : advice.join(" ")
    }
  }, orRefuse)
})
