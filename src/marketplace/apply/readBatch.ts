import { Effect } from "effect"

import type { Campaign } from "../client/Campaign.ts"
import { clusterKey, provenUnits } from "../client/Clusters.ts"
import type { MarketplaceAds } from "../client/MarketplaceAds.ts"
import type { Kopecks } from "../client/money.ts"
import { readDailyLimits } from "../client/readBudgets.ts"
import type { Change } from "../plan/Change.ts"
import * as Phrases from "../plan/phrases.ts"
import { unreadable as cannotRead, unreadableNamesake } from "./failures.ts"
import type { Located } from "./Located.ts"
import { budgetsOf } from "./running.ts"

type Ads = MarketplaceAds["Service"]

const byId = (adverts: ReadonlyArray<Campaign>) => new Map(adverts.map((campaign) => [campaign.id, campaign]))

const campaignsIfShown = (ads: Ads, ids: ReadonlyArray<number>) =>
  Effect.orElseSucceed(
    Effect.map(ads.getAdvertsV2({ ids }), ({ adverts, unreadable }) =>
      unreadable.length > 0 ? undefined : byId(adverts)
    ),
    () => undefined
  )

/** The ids of the campaigns that a batch changes, or looks at for it. */
const campaignIds = (changes: ReadonlyArray<Located>): ReadonlyArray<number> => [
  ...new Set(
    changes.flatMap((change) => {
      if (change.kind === "create") return []
      const partner = change.kind === "state" ? change.partner : undefined
      return partner === undefined ? [change.target] : [change.target, partner]
    })
  )
]

/** Reads the campaigns, phrases, bids and money that one batch changes, with as few calls as possible. */
export const readBatch = Effect.fnUntraced(function* (ads: Ads, changes: ReadonlyArray<Located>) {
  const has = (...kinds: ReadonlyArray<Change["kind"]>) => changes.some(({ kind }) => kinds.includes(kind))
  const ids = campaignIds(changes)
  const items = changes.flatMap((change) =>
    "nm_id" in change ? [{ advert_id: change.target, nm_id: change.nm_id }] : []
  )
  const { adverts, unreadable } = has("create")
    ? yield* ads.getAdvertsV2()
    : has("bid", "product", "delete", "state", "deposit", "name", "placements")
      ? yield* ads.getAdvertsV2({ ids })
      : { adverts: [], unreadable: [] }
  const hidden = unreadable.find(({ advert_id }) => ids.some((id) => id === advert_id))
  if (hidden !== undefined) return yield* cannotRead(hidden)
  const names = changes.flatMap((change) => (change.kind === "create" ? [change.name] : []))
  const namesake = unreadable.find(({ name }) => name !== undefined && names.includes(name))
  if (namesake !== undefined) return yield* unreadableNamesake(namesake)
  const phrases = has("phrases") ? (yield* ads.getMinusPhrases({ items })).items : []
  const clusters = has("cluster") ? (yield* ads.getNormqueryBids({ items })).bids : []
  const campaigns = byId(adverts)
  return {
    adverts,
    campaigns,
    phrasesAt: Phrases.byPair(phrases),
    clusterAt: new Map(clusters.map((bid) => [clusterKey(bid), bid])),
    proofs: provenUnits(clusters),
    budgets: has("deposit") ? yield* budgetsOf(ads, ids) : new Map<number, Kopecks>(),
    limits: has("limit") ? yield* readDailyLimits(ads) : new Map<number, Kopecks | null>(),
    /** The campaigns as they are shown at the time; undefined if some cannot be read. */
    campaignsLater: has("phrases", "cluster") ? campaignsIfShown(ads, ids) : Effect.succeed(campaigns)
  }
})

export type Batch = Effect.Success<ReturnType<typeof readBatch>>
