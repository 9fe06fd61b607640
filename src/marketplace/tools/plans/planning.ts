import { Effect, Schema } from "effect"

import { bisectReads } from "../../../changes/bisectReads.ts"
import * as results from "../../../changes/tools/results.ts"
import { summary } from "../../../changes/tools/summary.ts"
import { explain } from "../../apply/advice.ts"
import { Plans } from "../../apply/Plans.ts"
import { Placement } from "../../client/Campaign.ts"
import type { Pair } from "../../client/ids.ts"
import { MarketplaceAds } from "../../client/MarketplaceAds.ts"
import { isRefusal } from "../../client/MarketplaceError.ts"
import type { BidSteps } from "../../plan/floors.ts"
import type { Draft, PlanKind } from "../../plan/Plan.ts"
import { KeptStatistics } from "../../report/KeptStatistics.ts"
import { count } from "../../report/metrics.ts"
import { amountShape as money } from "../shown.ts"

/** Keeps a draft as a plan and returns its summary, whose first steps have so many bytes. */
export const keep = (draft: Draft, room?: number) =>
  Plans.use((plans) => Effect.flatMap(plans.keep(draft), (plan) => summary(plans.describing, plan, room)))

/** Bytes for the first steps of plans whose digest says most. */
export const littleRoom = 1500

const stepIn = (value: number | null | undefined): number => Math.max(1, Math.round(count(value) ?? 1))

/** The steps of bids that the marketplace takes; any amount where this key is not told. */
export const bidSteps = Effect.map(
  KeptStatistics.use((statistics) => statistics.config),
  (config): BidSteps => ({ cpm: stepIn(config?.cpmStep), cpc: stepIn(config?.cpcStep) })
)

/** The draft with more warnings. */
export const withWarnings = (draft: Draft, warnings: ReadonlyArray<string>): Draft => ({
  ...draft,
  warnings: [...draft.warnings, ...warnings]
})

/** The campaigns of some changes, and those of them that cannot be read. */
export const campaignsOf = (changes: ReadonlyArray<{ readonly advert_id: number }>) =>
  Effect.map(
    MarketplaceAds.use((ads) => ads.getAdvertsV2({ ids: [...new Set(changes.map(({ advert_id }) => advert_id))] })),
    ({ adverts: campaigns, unreadable }) => ({ campaigns, unreadable })
  )

/** The minus-phrases of articles, with a warning if the marketplace does not show them. */
export const phrasesOf = Effect.fnUntraced(function* (pairs: ReadonlyArray<Pair>) {
  const ads = yield* MarketplaceAds
  const { found: answers, refused } = yield* bisectReads(
    pairs,
    (items) => ads.getMinusPhrases({ items }),
    (error) => (isRefusal(error) ? error : undefined)
  )
  const [first, ...others] = refused
  const more = others.length === 0 ? "" : ` and of ${others.length} more`
  return {
    items: answers.flatMap(({ answer }) => answer.items),
    warnings:
      first === undefined
        ? []
        : [
            `The phrases of article ${first.item.nm_id} in campaign ${first.item.advert_id}${more} cannot be read, so they ` +
              `neither count here nor come back with a rollback: ${explain(first.reason)}`
          ]
  }
})

/* Shapes of plans, as a client may rely on them; all are open to fields that are not named. */

/* Shapes of the values before and after a step, by the kind of change. */

const amount = Schema.NullOr(money)
const phraseList = Schema.Struct({ count: results.whole, phrases: Schema.Array(Schema.String) })
const membership = Schema.String
const newCampaign = Schema.Struct({
  name: Schema.String,
  articles: Schema.optionalKey(results.whole),
  placements: Schema.optionalKey(Schema.Array(Placement))
})
const anyPlace = Schema.Union([money, phraseList, newCampaign, membership, Schema.Null])

/** A plan's summary. */
const planOf = (kind: PlanKind, place: Schema.Codec<unknown, unknown>) =>
  results.summaryFields(Schema.Literal(kind), place)

export const bidsPlan = Schema.Struct(planOf("bids", amount))
export const phrasesPlan = Schema.Struct(planOf("minus-phrases", phraseList))
export const productsPlan = Schema.Struct(planOf("products", membership))
export const clusterBidsPlan = Schema.Struct(planOf("cluster-bids", amount))
export const campaignPlan = Schema.Struct(
  planOf("campaign", Schema.Union([money, newCampaign, membership, Schema.Null]))
)
/** A plan in short; its other fields are as of every plan. */
export const anyPlan = Schema.Struct({
  plan_id: Schema.String,
  digest: Schema.optionalKey(Schema.String),
  steps: results.whole,
  blocked_count: results.whole,
  next: results.next
})
export const migrationPlan = Schema.Struct(planOf("migration", anyPlace))
