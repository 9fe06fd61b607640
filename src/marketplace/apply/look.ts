import { Effect, Match } from "effect"

import type { BidUnit } from "../client/Bids.ts"
import {
  articleOf,
  bidOf,
  type Campaign,
  findByName,
  mayChange,
  type Placement,
  status,
  type Unreadable,
  whyUnreadable
} from "../client/Campaign.ts"
import { clusterKey, provenUnits } from "../client/Clusters.ts"
import type { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { AdsUnreadable, CampaignUnreadable, MarketplaceError, type Reason } from "../client/MarketplaceError.ts"
import type { Kopecks } from "../client/money.ts"
import { operations } from "../client/operations.ts"
import type { Change, Create } from "../plan/Change.ts"
import * as Phrases from "../plan/phrases.ts"
import { findLost, type Lost } from "./findLost.ts"
import type { Located, LocatedOf } from "./Located.ts"

/** How long a change may take to show: the marketplace's read model is brought up to date every 3 minutes. */
export const visibleMs = 200_000

export type Ads = MarketplaceAds["Service"]

/** How a change stands at the marketplace: still to do, already as wanted, or changed by someone else. */
export type Standing = "already" | "pending" | "stale"

export interface Look {
  readonly standing: (change: Located) => Standing
  /** Why a change that is still to do cannot be done, where that shows. */
  readonly obstacle: (change: Located) => string | undefined
  /** The bid that shows where a change of a bid belongs; null where there is none, or it is no bid. */
  readonly bidShown: (change: Located) => Kopecks | null
  /** The units of cluster bids that what shows proves (D2). */
  readonly provenUnits: ReadonlyArray<BidUnit>
  /** The campaigns that the changes are about; read only now where the changes alone do not need them. */
  readonly campaigns: Effect.Effect<ReadonlyMap<number, Campaign> | undefined>
  readonly lost: (change: Create, sentAt: number) => Lost
}

const byId = (adverts: ReadonlyArray<Campaign>) => new Map(adverts.map((campaign) => [campaign.id, campaign]))

const campaignsIfShown = (ads: Ads, ids: ReadonlyArray<number>) =>
  Effect.orElseSucceed(
    Effect.map(ads.getAdvertsV2({ ids }), ({ adverts, unreadable }) =>
      unreadable.length > 0 ? undefined : byId(adverts)
    ),
    () => undefined
  )

const judge = (isAfter: boolean, isBefore: boolean): Standing => (isAfter ? "already" : isBefore ? "pending" : "stale")

/** Reads what the changes of one batch are about, with as few calls as there can be. */
export const look = Effect.fnUntraced(function* (ads: Ads, changes: ReadonlyArray<Located>) {
  const has = (...kinds: ReadonlyArray<Change["kind"]>) => changes.some(({ kind }) => kinds.includes(kind))
  const ids = [...new Set(changes.flatMap((change) => (change.kind === "create" ? [] : [change.target])))]
  const pairs = changes.flatMap((change) =>
    "nm_id" in change ? [{ advert_id: change.target, nm_id: change.nm_id }] : []
  )

  const { adverts, unreadable } = has("create")
    ? yield* ads.getAdvertsV2()
    : has("bid", "product", "delete")
      ? yield* ads.getAdvertsV2({ ids })
      : { adverts: [], unreadable: [] }
  // What cannot be read is not the same as what is not there.
  const odd = unreadable.find(({ advert_id }) => ids.some((id) => id === advert_id))
  if (odd !== undefined) return yield* failed(new CampaignUnreadable(odd))
  const names = changes.flatMap((change) => (change.kind === "create" ? [change.name] : []))
  const namesake = unreadable.find(({ name }) => name !== undefined && names.includes(name))
  if (namesake !== undefined) return yield* cannotTell(namesake)
  const phrases = has("phrases") ? (yield* ads.getMinusPhrases({ items: pairs })).items : []
  const clusters = has("cluster") ? (yield* ads.getNormqueryBids({ items: pairs })).bids : []

  const campaigns = byId(adverts)
  const phrasesAt = Phrases.byPair(phrases)
  const clusterAt = new Map(clusters.map((bid) => [clusterKey(bid), bid]))

  const clusterBid = ({ nm_id, norm_query, target }: LocatedOf<"cluster">) =>
    clusterAt.get(clusterKey({ advert_id: target, nm_id, norm_query }))?.bid ?? null
  const bidShown: Look["bidShown"] = (change) => {
    if (change.kind === "cluster") return clusterBid(change)
    if (change.kind !== "bid") return null
    return currentBid(campaigns.get(change.target), change.nm_id, change.placement) ?? null
  }

  const standing: Look["standing"] = Match.type<Located>().pipe(
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
        const present = phrasesAt(target, nm_id)
        return judge(Phrases.same(present, after), Phrases.same(present, before))
      },
      cluster: (change) => {
        const bid = clusterBid(change)
        return judge(bid === change.after, bid === change.before)
      }
    })
  )
  const obstacle: Look["obstacle"] = (change) => {
    const campaign = change.kind === "bid" || change.kind === "product" ? campaigns.get(change.target) : undefined
    if (campaign === undefined || mayChange(campaign)) return undefined
    return `campaign ${campaign.id} is in status ${campaign.status}, in which nothing can change`
  }
  return {
    standing,
    obstacle,
    bidShown,
    provenUnits: provenUnits(clusters),
    campaigns: has("phrases", "cluster") ? campaignsIfShown(ads, ids) : Effect.succeed(campaigns),
    lost: (change, sentAt) => findLost(adverts, change, sentAt)
  } satisfies Look
})

/** A campaign that is to be created may be there already, and creating it once more cannot be taken back. */
const cannotTell = (odd: Unreadable) =>
  failed(
    new AdsUnreadable({
      kind: "read",
      detail: `campaign ${odd.advert_id} has the name of the one to be created, and ${whyUnreadable(odd)}`,
      body: ""
    })
  )

const failed = (reason: Reason) => new MarketplaceError({ operation: operations.getAdvertsV2.name, reason })

const articleIn = (campaign: Campaign | undefined, nm_id: number) =>
  campaign === undefined ? undefined : articleOf(campaign, nm_id)

/** Nothing where the article is not there at all, null where it has no bid. */
const currentBid = (
  campaign: Campaign | undefined,
  nm_id: number,
  placement: Placement
): Kopecks | null | undefined => {
  const article = articleIn(campaign, nm_id)
  return article === undefined ? undefined : bidOf(article, placement)
}
