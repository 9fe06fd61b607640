import { Clock, Effect, Schema } from "effect"

import { next, whole } from "../../changes/tools/results.ts"
import { reads } from "../../mcp/annotations.ts"
import * as Tool from "../../mcp/Tool.ts"
import { explain } from "../apply/advice.ts"
import { KeyKind } from "../client/ApiKey.ts"
import { Wire } from "../client/Bids.ts"
import { keyReport, limitOf } from "../client/keyRules.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../client/MarketplaceConfig.ts"
import { isBecause } from "../client/MarketplaceError.ts"
import { orRefuse } from "./errors.ts"

const keyShown = Schema.Struct({
  host: Schema.String,
  accepted: Schema.Boolean,
  kind: KeyKind,
  promotion_right: Schema.NullOr(Schema.Boolean),
  days_left: Schema.NullOr(whole),
  may_write: Schema.Boolean,
  why_not: Schema.optionalKey(Schema.String),
  campaign_reads: Schema.String,
  wire: Schema.Literals([...Wire.literals, "not chosen"]),
  /** Missing if the key is not accepted. */
  campaigns: Schema.optionalKey(whole),
  next
})

export const checkKey = Tool.make("ads_check_key", {
  title: "Check key",
  description: "What the key (токен) may do",
  annotations: reads,
  arguments: {},
  result: keyShown,
  run: Effect.fn("ads_check_key")(function* () {
    const settings = yield* MarketplaceConfig
    const { refusal, ...answer } = yield* ask
    const { advice, daysLeft, kind, mayNotWrite, promotion } = keyReport(settings, yield* Clock.currentTimeMillis)
    const { limit, periodMs } = limitOf(settings, "getAdvertsV2")
    return {
      host: settings.baseUrl,
      accepted: refusal === undefined,
      kind,
      promotion_right: promotion ?? null,
      days_left: daysLeft ?? null,
      may_write: mayNotWrite === undefined,
      ...(mayNotWrite === undefined ? {} : { why_not: mayNotWrite }),
      campaign_reads: `${limit} in ${periodMs / 1000} s`,
      wire: settings.wire ?? ("not chosen" as const),
      ...answer,
      next: `${nextOf(refusal === undefined ? advice : [refusal, ...advice])} ${formOf(settings.wire)}`
    }
  }, orRefuse)
})

interface Answer {
  readonly campaigns?: number
  readonly refusal?: string
}

/** A key that is not accepted is a result here, not a failure. */
const ask = MarketplaceAds.use((ads) => ads.getCampaignCount()).pipe(
  Effect.map(({ all }): Answer => ({ campaigns: all })),
  Effect.catchIf(isBecause("AdsForbidden", "AdsUnauthorized"), (error) =>
    Effect.succeed<Answer>({ refusal: explain(error) })
  )
)

/** A wrong form would affect only articles and cluster bids. */
const formOf = (wire: Wire | undefined): string => {
  if (wire === "published") {
    return "marketplace.wire is published: articles and cluster bids go out in the marketplace's own form."
  }
  return wire === "spec"
    ? "marketplace.wire is spec: articles and cluster bids go out as the document has them. The real marketplace takes " +
        "another form, cluster bids in rubles: a person sets marketplace.wire to published before such a plan is applied there."
    : "marketplace.wire is not chosen: articles go out as the document has them, and cluster bids only in the unit that the " +
        "marketplace's own answers prove. Where they prove none, a person chooses: published is the real marketplace's form."
}

const nextOf = (advice: ReadonlyArray<string>): string =>
  advice.length === 0 ? "The key works: ads_list_campaigns shows the campaigns." : advice.join(" ")
