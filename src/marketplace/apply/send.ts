import { Array as Arrays, Effect } from "effect"

import type { Sent } from "../../changes/Driver.ts"
import { grouped } from "../../internal/collections.ts"
import { status } from "../client/Campaign.ts"
import type { Cluster, ClusterBidRefused } from "../client/Clusters.ts"
import type { MarketplaceAds } from "../client/MarketplaceAds.ts"
import type { MarketplaceError } from "../client/MarketplaceError.ts"
import { isKopecks, kopecksToRubles } from "../client/money.ts"
import type { Change } from "../plan/Change.ts"
import type { ClusterUnit } from "../plan/clusterUnit.ts"
import { isOfState, partlyDone } from "./failures.ts"
import { isLocated, type Located, type LocatedOf } from "./Located.ts"
import type { AdsState } from "./RemoteState.ts"

type Ads = MarketplaceAds["Service"]

/** Sends changes of one kind in one call, cluster bids in the given unit. */
export const send = Effect.fnUntraced(function* (
  ads: Ads,
  all: ReadonlyArray<Change>,
  { brake, unit }: Pick<AdsState, "brake" | "unit">
): Effect.fn.Return<Sent<Change>, MarketplaceError> {
  const changes = all.filter(isLocated)
  const rows = <K extends Located["kind"]>(kind: K) => changes.filter((change) => isOf(kind, change))

  for (const { name, nms, payment_type, placement_types } of rows("create")) {
    const campaign = yield* ads.createSeacatSaveAd({ name, nms, payment_type, placement_types, bid_type: "manual" })
    return { created: campaign, refused: [] }
  }
  for (const { target } of rows("delete")) yield* ads.deleteCampaign(target)
  for (const { after, nm_id, target } of rows("phrases")) {
    const clear = after.length === 0
    yield* ads.setMinusPhrases({ advert_id: target, nm_id, norm_queries: after }, { clear })
  }
  for (const change of rows("state")) {
    const reason = change.after === status.active ? yield* brake : undefined
    if (reason !== undefined) return { refused: [{ change, reason }] }
    yield* setState(ads, change)
  }
  for (const { after, target } of rows("name")) yield* ads.renameCampaign(target, after)
  yield* ads.updateAuctionPlacement({
    placements: rows("placements").map(({ after, target }) => ({
      advert_id: target,
      placements: { search: after.includes("search"), recommendations: after.includes("recommendations") }
    }))
  })
  for (const { purse: from, rubles, target } of rows("deposit")) {
    yield* ads.createBudgetDeposit({ advert_id: target, rubles, from })
  }
  yield* ads.updateCampaignProducts({
    campaigns: byTarget(rows("product")).map(([advert_id, some]) => ({
      advert_id,
      add_nms: some.filter(({ after }) => after).map(({ nm_id }) => nm_id),
      delete_nms: some.filter(({ after }) => !after).map(({ nm_id }) => nm_id)
    }))
  })
  yield* ads.updateBids({
    bids: byTarget(rows("bid")).map(([advert_id, some]) => ({
      advert_id,
      nm_bids: some.map(({ after, nm_id, placement }) => ({ nm_id, bid_kopecks: after, placement }))
    }))
  })
  return {
    refused: [...(yield* sendClusters(ads, rows("cluster"), unit)), ...(yield* sendLimits(ads, rows("limit")))]
  }
})

const moves = {
  [status.active]: "startCampaign",
  [status.paused]: "pauseCampaign",
  [status.finished]: "stopCampaign"
} as const

/** Starts, pauses or ends a campaign. A refusal because of its status is none where it has the wanted one. */
const setState = (ads: Ads, { after, target }: LocatedOf<"state">) =>
  Effect.catchIf(ads[moves[after]](target), isOfState, (error) =>
    Effect.flatMap(ads.getAdvertsV2({ ids: [target] }), ({ adverts }) =>
      adverts.some((campaign) => campaign.status === after) ? Effect.void : Effect.fail(error)
    )
  )

/** Sets daily limits, those of the same height together. */
const sendLimits = Effect.fnUntraced(function* (ads: Ads, rows: ReadonlyArray<LocatedOf<"limit">>) {
  const refused: Array<Sent<Change>["refused"][number]> = []
  for (const [, some] of Object.entries(Arrays.groupBy(rows, ({ after }) => String(after)))) {
    const [{ after }] = some
    const amount = after === null ? { enabled: false } : { enabled: true, dailyLimit: after }
    const { tooLow } = yield* ads.setDailyLimits({ advertIds: some.map(({ target }) => target), ...amount })
    for (const { advertId, requiredLimit } of tooLow) {
      const change = some.find(({ target }) => target === advertId)
      const least = isKopecks(requiredLimit) ? `, and must be at least ${kopecksToRubles(requiredLimit)} rub` : ""
      if (change !== undefined) refused.push({ change, reason: `the daily limit is too low${least}` })
    }
  }
  return refused
})

const byTarget = <A extends { readonly target: number }>(rows: ReadonlyArray<A>) => [
  ...grouped(rows, ({ target }) => target)
]

const isOf = <K extends Located["kind"]>(kind: K, change: Located): change is LocatedOf<K> => change.kind === kind

const sendClusters = Effect.fnUntraced(function* (
  ads: Ads,
  rows: ReadonlyArray<LocatedOf<"cluster">>,
  unit: ClusterUnit["unit"] | undefined
) {
  const at = ({ nm_id, norm_query, target }: LocatedOf<"cluster">) => ({ advert_id: target, nm_id, norm_query })
  yield* ads.deleteNormqueryBids({ bids: rows.filter(({ after }) => after === null).map(at) })
  const bids = rows.flatMap((row) => (row.after === null ? [] : [{ ...at(row), bid: row.after }]))
  if (bids.length === 0) return []
  if (unit === undefined) return yield* Effect.die("cluster bids without a unit")
  const { failed } = yield* ads.setNormqueryBids({ bids }, unit === "minor" ? {} : { unit })
  return yield* Effect.forEach(failed, (item) => {
    const [change, ...others] = rows.filter((row) => isAbout(item, at(row)))
    const { reason } = item
    return change !== undefined && others.length === 0
      ? Effect.succeed({ change, reason })
      : Effect.fail(partlyDone(reason, rows.length - failed.length, rows.length))
  })
})

const isAbout = (refused: ClusterBidRefused, { advert_id, nm_id, norm_query }: Cluster): boolean =>
  (refused.advert_id ?? advert_id) === advert_id &&
  (refused.nm_id ?? nm_id) === nm_id &&
  (refused.norm_query ?? norm_query) === norm_query
