import { Effect, Match } from "effect"

import { articlesOf, bidOf, type Campaign, type Placement, status } from "../Campaign.ts"
import { clusterKey } from "../Clusters.ts"
import { pairKey } from "../ids.ts"
import type { MarketplaceAds } from "../MarketplaceAds.ts"
import type { Kopecks } from "../money.ts"
import type { Change, Target } from "./Change.ts"
import * as Phrases from "./phrases.ts"
import { findByName } from "./planCampaign.ts"

export type Ads = MarketplaceAds["Service"]

/** A change whose campaign has its id. */
export type Located = {
  readonly [K in Change["kind"]]: Extract<Change, { readonly kind: K }> & LocatedAt<K>
}[Change["kind"]]
type LocatedAt<K> = K extends "create" ? unknown : { readonly target: number }

/** The change with the id of its campaign, once that exists. */
export const locate = (change: Change, created: ReadonlyMap<string, number>): Located | undefined => {
  if (change.kind === "create") return change
  const target = idOf(change.target, created)
  return target === undefined ? undefined : { ...change, target }
}

const idOf = (target: Target, created: ReadonlyMap<string, number>): number | undefined =>
  typeof target === "number" ? target : created.get(target.created_by)

/** How a change finds the marketplace: still to do, already as wanted, or changed by someone else. */
export type Finding = "already" | "pending" | "stale"

export interface Look {
  readonly finding: (change: Located) => Finding
  /** Whether a cluster bid shows a hundred times as high as it was set: kopecks that were taken for rubles (D2). */
  readonly isHundredfold: (change: Located) => boolean
  /** The campaign of that name, where there is one. */
  readonly named: (name: string) => number | undefined
}

const judge = (isAfter: boolean, isBefore: boolean): Finding => (isAfter ? "already" : isBefore ? "pending" : "stale")

/** Reads what the changes of one batch are about, with as few calls as there can be. */
export const look = Effect.fnUntraced(function* (ads: Ads, changes: ReadonlyArray<Located>) {
  const has = (...kinds: ReadonlyArray<Change["kind"]>) => changes.some(({ kind }) => kinds.includes(kind))
  const ids = [...new Set(changes.flatMap((change) => (change.kind === "create" ? [] : [change.target])))]
  const pairs = changes.flatMap((change) =>
    "nm_id" in change ? [{ advert_id: change.target, nm_id: change.nm_id }] : []
  )

  const adverts = has("create")
    ? (yield* ads.getAdvertsV2()).adverts
    : has("bid", "product", "delete")
      ? (yield* ads.getAdvertsV2({ ids })).adverts
      : []
  const phrases = has("phrases") ? (yield* ads.getMinusPhrases({ items: pairs })).items : []
  const clusters = has("cluster") ? (yield* ads.getNormqueryBids({ items: distinctPairs(pairs) })).bids : []

  const campaigns = new Map(adverts.map((campaign) => [campaign.id, campaign]))
  const phrasesAt = new Map(phrases.map((item) => [pairKey(item), item.norm_queries]))
  const clusterAt = new Map(clusters.map((bid) => [clusterKey(bid), bid.bid]))

  const clusterBid = ({
    nm_id,
    norm_query,
    target
  }: Pick<Extract<Located, { kind: "cluster" }>, "nm_id" | "norm_query" | "target">) =>
    clusterAt.get(clusterKey({ advert_id: target, nm_id, norm_query })) ?? null

  const finding: Look["finding"] = Match.type<Located>().pipe(
    Match.discriminatorsExhaustive("kind")({
      create: ({ name }) => judge(false, findByName(adverts, name) === undefined),
      delete: ({ target }) => {
        const campaign = campaigns.get(target)
        return judge(campaign === undefined || campaign.status === status.deleting, campaign?.status === status.ready)
      },
      product: ({ after, nm_id, target }) => {
        const present = articleIn(campaigns.get(target), nm_id) !== undefined
        return judge(present === after, after || campaigns.has(target))
      },
      bid: ({ after, before, nm_id, placement, target }) => {
        const bid = currentBid(campaigns.get(target), nm_id, placement)
        return judge(bid === after, before === null || bid === before)
      },
      phrases: ({ after, before, nm_id, target }) => {
        const present = phrasesAt.get(pairKey({ advert_id: target, nm_id })) ?? []
        return judge(Phrases.same(present, after), Phrases.same(present, before))
      },
      cluster: ({ after, before, nm_id, norm_query, target }) => {
        const bid = clusterBid({ target, nm_id, norm_query })
        return judge(bid === after, bid === before)
      }
    })
  )
  const isHundredfold = (change: Located) =>
    change.kind === "cluster" && change.after !== null && clusterBid(change) === change.after * 100
  return { finding, isHundredfold, named: (name) => findByName(adverts, name)?.id } satisfies Look
})

const distinctPairs = (pairs: ReadonlyArray<{ readonly advert_id: number; readonly nm_id: number }>) => [
  ...new Map(pairs.map((pair) => [pairKey(pair), pair])).values()
]

const articleIn = (campaign: Campaign | undefined, nm_id: number) =>
  campaign === undefined ? undefined : articlesOf(campaign).find((article) => article.nm_id === nm_id)

/** Nothing where the article is not there at all, null where it has no bid. */
const currentBid = (
  campaign: Campaign | undefined,
  nm_id: number,
  placement: Placement
): Kopecks | null | undefined => {
  const article = articleIn(campaign, nm_id)
  return article === undefined ? undefined : bidOf(article, placement)
}
