import { Effect } from "effect"

import { articlesOf, bidOf, type Campaign, type Placement, status } from "../Campaign.ts"
import { clusterKey } from "../Clusters.ts"
import { pairKey } from "../ids.ts"
import type { MarketplaceAds } from "../MarketplaceAds.ts"
import type { Kopecks } from "../money.ts"
import type { Change, Target } from "./Change.ts"
import * as Phrases from "./phrases.ts"
import { findByName } from "./planCampaign.ts"

type Ads = MarketplaceAds["Service"]

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

  const finding = (change: Located): Finding => {
    switch (change.kind) {
      case "create":
        return judge(false, findByName(adverts, change.name) === undefined)
      case "delete": {
        const campaign = campaigns.get(change.target)
        return judge(campaign === undefined || campaign.status === status.deleting, campaign?.status === status.ready)
      }
      case "product": {
        const present = articleIn(campaigns.get(change.target), change.nm_id) !== undefined
        return judge(present === change.after, campaigns.has(change.target))
      }
      case "bid": {
        const bid = currentBid(campaigns.get(change.target), change.nm_id, change.placement)
        return judge(bid === change.after, bid !== undefined && (change.before === null || bid === change.before))
      }
      case "phrases": {
        const present = phrasesAt.get(pairKey({ advert_id: change.target, nm_id: change.nm_id })) ?? []
        return judge(Phrases.identical(present, change.after), Phrases.identical(present, change.before))
      }
      case "cluster": {
        const { nm_id, norm_query, target } = change
        const bid = clusterAt.get(clusterKey({ advert_id: target, nm_id, norm_query })) ?? null
        return judge(bid === change.after, bid === change.before)
      }
    }
  }
  return { finding, named: (name) => findByName(adverts, name)?.id } satisfies Look
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

/** Sends the changes of one batch, which are of one kind; returns the id of a campaign that it created. */
export const send = Effect.fnUntraced(function* (ads: Ads, changes: ReadonlyArray<Located>) {
  const [first] = changes
  if (first === undefined) return undefined
  switch (first.kind) {
    case "create": {
      const { name, nms, payment_type, placement_types } = first
      return yield* ads.createSeacatSaveAd({ name, nms, payment_type, placement_types, bid_type: "manual" })
    }
    case "delete":
      yield* ads.deleteCampaign(first.target)
      return undefined
    case "product": {
      const rows = changes.filter((change) => change.kind === "product")
      const campaigns = grouped(rows).map(([advert_id, some]) => ({
        advert_id,
        add_nms: some.filter(({ after }) => after).map(({ nm_id }) => nm_id),
        delete_nms: some.filter(({ after }) => !after).map(({ nm_id }) => nm_id)
      }))
      yield* ads.updateCampaignProducts({ campaigns })
      return undefined
    }
    case "bid": {
      const rows = changes.filter((change) => change.kind === "bid")
      const bids = grouped(rows).map(([advert_id, some]) => ({
        advert_id,
        nm_bids: some.map(({ after, nm_id, placement }) => ({ nm_id, bid_kopecks: after, placement }))
      }))
      yield* ads.updateBids({ bids })
      return undefined
    }
    case "phrases":
      yield* ads.setMinusPhrases(
        { advert_id: first.target, nm_id: first.nm_id, norm_queries: first.after },
        { clear: first.after.length === 0 }
      )
      return undefined
    case "cluster": {
      const rows = changes.filter((change) => change.kind === "cluster")
      const at = ({ nm_id, norm_query, target }: (typeof rows)[number]) => ({ advert_id: target, nm_id, norm_query })
      const dropped = rows.filter(({ after }) => after === null).map(at)
      const set = rows.flatMap((row) => (row.after === null ? [] : [{ ...at(row), bid: row.after }]))
      if (dropped.length > 0) yield* ads.deleteNormqueryBids({ bids: dropped })
      if (set.length > 0) yield* ads.setNormqueryBids({ bids: set })
      return undefined
    }
  }
})

const grouped = <A extends { readonly target: number }>(rows: ReadonlyArray<A>) => {
  const groups = new Map<number, Array<A>>()
  for (const row of rows) groups.set(row.target, [...(groups.get(row.target) ?? []), row])
  return [...groups]
}
