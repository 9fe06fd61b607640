import { Effect, Schema } from "effect"

import { MarketplaceAds } from "../../marketplace/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../marketplace/MarketplaceConfig.ts"
import { type Kopecks, rublesToKopecks, type Rubles } from "../../marketplace/money.ts"
import { type BidWish, planBids } from "../../marketplace/plan/planBids.ts"
import { type ManualPlacement, planCampaign } from "../../marketplace/plan/planCampaign.ts"
import { type ClusterWish, planClusterBids } from "../../marketplace/plan/planClusterBids.ts"
import { planMinusPhrases } from "../../marketplace/plan/planMinusPhrases.ts"
import { planProducts } from "../../marketplace/plan/planProducts.ts"
import { Plans } from "../../marketplace/plan/Plans.ts"
import { creates, reads } from "../annotations.ts"
import { flag, optional } from "../parameters.ts"
import * as Tool from "../Tool.ts"
import { InvalidArgument } from "../ToolError.ts"
import { floorsOf, keep, pairsOf, summary } from "./gather.ts"
import {
  advertId,
  bidChanges,
  clusterChanges,
  limit,
  nmIds,
  offset,
  onBelowFloor,
  planId,
  rubles
} from "./parameters.ts"
import { readCampaign } from "./reads.ts"
import { orRefuse } from "./refusal.ts"
import { moment, more, stepRow } from "./shown.ts"

interface Amount {
  readonly bid_rubles?: Rubles
  readonly bid_kopecks?: Kopecks
}

const kopecksOf = ({ bid_kopecks, bid_rubles }: Amount): Kopecks | undefined =>
  bid_kopecks ?? (bid_rubles === undefined ? undefined : rublesToKopecks(bid_rubles))

/** Exactly one way of saying it, or the caller did not mean what we would read. */
const exactlyOne = (index: number, given: ReadonlyArray<unknown>, words: string) =>
  given.filter((value) => value !== undefined).length === 1
    ? Effect.void
    : Effect.fail(new InvalidArgument({ argument: `changes.${index}`, problem: `must have exactly one of ${words}` }))

const ids = (changes: ReadonlyArray<{ readonly advert_id: number }>) => [
  ...new Set(changes.map(({ advert_id }) => advert_id))
]

export const planBidsTool = Tool.make("ads_plan_bids", {
  title: "Plan bids",
  description: "Plan bids for single articles, held against the lowest bids and the guards. Changes nothing",
  annotations: reads,
  arguments: {
    changes: bidChanges,
    on_below_floor: onBelowFloor,
    check_floors: optional(flag("Whether to ask for the lowest bids first, one call per campaign; default true"))
  },
  run: Effect.fn("ads_plan_bids")(function* ({ changes, check_floors = true, on_below_floor }) {
    for (const [index, { bid_kopecks, bid_rubles, change_percent }] of changes.entries()) {
      yield* exactlyOne(index, [bid_kopecks, bid_rubles, change_percent], "bid_rubles, bid_kopecks, change_percent")
    }
    const wishes = changes.flatMap(
      ({ advert_id, change_percent, nm_id, placement, ...amount }): ReadonlyArray<BidWish> => {
        const kopecks = kopecksOf(amount)
        const at = { advert_id, nm_id, ...(placement === undefined ? {} : { placement }) }
        if (kopecks !== undefined) return [{ ...at, to: { kopecks } }]
        return change_percent === undefined ? [] : [{ ...at, to: { percent: 100 + change_percent } }]
      }
    )
    return yield* orRefuse(
      Effect.gen(function* () {
        const { guards } = yield* MarketplaceConfig
        const { adverts } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2({ ids: ids(changes) }))
        const floors = yield* Effect.forEach(check_floors ? adverts : [], (campaign) =>
          floorsOf(campaign, [
            ...new Set(changes.filter((one) => one.advert_id === campaign.id).map(({ nm_id }) => nm_id))
          ])
        )
        return yield* keep(
          planBids({ campaigns: adverts, wishes, floors: floors.flat(), onBelowFloor: on_below_floor, guards })
        )
      })
    )
  })
})

const mode = Schema.Literals(["merge", "replace", "remove", "clear"]).annotate({
  description: "merge adds to what is there, replace sets exactly these, remove takes these out, clear takes all out"
})

export const planMinusPhrasesTool = Tool.make("ads_plan_minus_phrases", {
  title: "Plan minus-phrases",
  description: "Plan minus-phrases for all or some articles of a campaign, one step per article. Changes nothing",
  annotations: reads,
  arguments: {
    advert_id: advertId,
    nm_ids: optional(nmIds),
    phrases: optional(Schema.Array(Schema.String).annotate({ description: "Phrases; none with mode clear" })),
    mode
  },
  run: Effect.fn("ads_plan_minus_phrases")(function* ({ advert_id, mode, nm_ids, phrases = [] }) {
    const { guards } = yield* MarketplaceConfig
    const campaign = yield* readCampaign(advert_id)
    const { items } = yield* MarketplaceAds.use((ads) => ads.getMinusPhrases({ items: pairsOf([campaign]) }))
    const only = nm_ids === undefined ? {} : { nm_ids }
    return yield* keep(planMinusPhrases({ campaigns: [campaign], ...only, current: items, phrases, mode, guards }))
  }, orRefuse)
})

export const planProductsTool = Tool.make("ads_plan_products", {
  title: "Plan articles",
  description:
    "Plan which articles to add to and delete from a campaign; an undo also brings back their bids and phrases. Changes nothing",
  annotations: reads,
  arguments: { advert_id: advertId, add_nms: optional(nmIds), delete_nms: optional(nmIds) },
  run: Effect.fn("ads_plan_products")(function* ({ add_nms = [], advert_id, delete_nms = [] }) {
    const { guards } = yield* MarketplaceConfig
    const campaign = yield* readCampaign(advert_id)
    const lost = pairsOf([campaign]).filter(({ nm_id }) => delete_nms.includes(nm_id))
    const ads = yield* MarketplaceAds
    const phrases = lost.length === 0 ? [] : (yield* ads.getMinusPhrases({ items: lost })).items
    const clusterBids = lost.length === 0 ? [] : (yield* ads.getNormqueryBids({ items: lost })).bids
    return yield* keep(planProducts({ campaign, add: add_nms, delete: delete_nms, phrases, clusterBids, guards }))
  }, orRefuse)
})

export const planClusterBidsTool = Tool.make("ads_plan_cluster_bids", {
  title: "Plan cluster bids",
  description: "Plan bids for search clusters of articles in manual campaigns. Changes nothing",
  annotations: reads,
  arguments: { changes: clusterChanges },
  run: Effect.fn("ads_plan_cluster_bids")(function* ({ changes }) {
    for (const [index, { bid_kopecks, bid_rubles, drop }] of changes.entries()) {
      yield* exactlyOne(
        index,
        [bid_kopecks, bid_rubles, drop === true ? drop : undefined],
        "bid_rubles, bid_kopecks, drop"
      )
    }
    const wishes = changes.map(({ advert_id, nm_id, norm_query, ...amount }): ClusterWish => ({
      advert_id,
      nm_id,
      norm_query,
      to: kopecksOf(amount) ?? null
    }))
    return yield* orRefuse(
      Effect.gen(function* () {
        const { guards, wire } = yield* MarketplaceConfig
        const ads = yield* MarketplaceAds
        const { adverts } = yield* ads.getAdvertsV2({ ids: ids(changes) })
        const asked = new Map(changes.map(({ advert_id, nm_id }) => [`${advert_id}:${nm_id}`, { advert_id, nm_id }]))
        const { bids } = yield* ads.getNormqueryBids({ items: [...asked.values()] })
        return yield* keep(planClusterBids({ campaigns: adverts, current: bids, wishes, wire, guards }))
      })
    )
  })
})

const searchOnly: ReadonlyArray<ManualPlacement> = ["search"]

export const planCampaignTool = Tool.make("ads_plan_campaign", {
  title: "Plan new campaign",
  description:
    "Plan a new campaign of type 9 with manual bids; it is made without money and not started. Changes nothing",
  annotations: reads,
  arguments: {
    name: Schema.NonEmptyString.annotate({ description: "Name, at most 100 characters, not taken yet" }),
    nms: nmIds,
    placements: optional(
      Schema.Array(Schema.Literals(["search", "recommendations"])).annotate({ description: "Default search" })
    ),
    payment_type: optional(Schema.Literals(["cpm", "cpc"]).annotate({ description: "Default cpm" })),
    bid_rubles: optional(rubles("First bid of every article in rubles; default the lowest"))
  },
  run: Effect.fn("ads_plan_campaign")(function* ({
    bid_rubles,
    name,
    nms,
    payment_type = "cpm",
    placements = searchOnly
  }) {
    const { guards } = yield* MarketplaceConfig
    const { adverts } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2())
    const bid = bid_rubles === undefined ? {} : { bid: rublesToKopecks(bid_rubles) }
    return yield* keep(planCampaign({ name, nms, payment_type, placements, ...bid, existing: adverts, guards }))
  }, orRefuse)
})

export const showPlan = Tool.make("ads_show_plan", {
  title: "Show plan",
  description: "Show the steps of a plan with before, after and reason, what is blocked, and how far it has come",
  annotations: reads,
  arguments: { plan_id: planId, limit: limit(50), offset },
  run: Effect.fn("ads_show_plan")(function* ({ limit, offset, plan_id }) {
    const { done, finished, plan, takenBack, unconfirmed } = yield* Plans.use((plans) => plans.history(plan_id))
    const shown = plan.steps.slice(offset, offset + limit)
    return {
      plan_id,
      kind: plan.kind,
      state: takenBack ? "taken back" : finished ? "applied" : done.size > 0 ? "begun" : "planned",
      total: plan.steps.length,
      done: done.size,
      unconfirmed: unconfirmed.size,
      steps: shown.map((step) => ({ ...stepRow(step), done: done.has(step.id) })),
      warnings: plan.warnings,
      blocked: plan.blocked.slice(offset, offset + limit),
      blocked_count: plan.blocked.length,
      estimate: plan.estimate,
      expires_at: moment(plan.expiresAt),
      ...more(offset + shown.length, plan.steps.length)
    }
  }, orRefuse)
})

export const rollback = Tool.make("ads_rollback", {
  title: "Plan the way back",
  description:
    "Plan the way back from an applied or broken-off plan: it restores what was there before. Changes nothing until applied",
  annotations: { ...creates, idempotentHint: true },
  arguments: { plan_id: planId },
  run: Effect.fn("ads_rollback")(function* ({ plan_id }) {
    const plan = yield* Plans.use((plans) => plans.rollback(plan_id))
    return { reverses: plan_id, ...(yield* summary(plan)) }
  }, orRefuse)
})
