import { Array as Arrays, DateTime, Option } from "effect"

import { grouped } from "../../internal/collections.ts"
import type { BidUpdate, NmBid } from "./Bids.ts"
import type { ProductChange } from "./Campaign.ts"
import { caps } from "./operations.ts"
import type { CampaignStats, FullstatsRequest } from "./Statistics.ts"

/** The list in chunks of at most `size`; none for an empty list. */
export const chunks = <A>(list: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Arrays.chunksOf(list, size)

/**
 * Calls in which every campaign appears at most once, as the marketplace requires: first the first chunks of all campaigns,
 * then the second ones, and so on.
 */
const rounds = <A>(
  pieces: ReadonlyMap<number, ReadonlyArray<A>>,
  perCampaign: number,
  campaigns: number
): ReadonlyArray<ReadonlyArray<{ readonly advert_id: number; readonly items: ReadonlyArray<A> }>> => {
  const cut = [...pieces].map(([advert_id, items]) => ({ advert_id, pieces: chunks(items, perCampaign) }))
  const most = Math.max(0, ...cut.map((campaign) => campaign.pieces.length))
  return Array.from({ length: most }, (_, round) =>
    cut.flatMap((campaign) => {
      const items = campaign.pieces[round]
      return items === undefined ? [] : [{ advert_id: campaign.advert_id, items }]
    })
  ).flatMap((round) => chunks(round, campaigns))
}

const byCampaign = <A>(entries: ReadonlyArray<readonly [number, ReadonlyArray<A>]>) => {
  const rows = entries.flatMap(([advert_id, items]) => items.map((item) => [advert_id, item] as const))
  return new Map([...grouped(rows, ([id]) => id)].map(([id, some]) => [id, some.map(([, item]) => item)]))
}

/** At most 50 campaigns with 50 bids each per call. */
export const splitBids = (bids: ReadonlyArray<BidUpdate>): ReadonlyArray<ReadonlyArray<BidUpdate>> =>
  rounds<NmBid>(
    byCampaign(bids.map(({ advert_id, nm_bids }) => [advert_id, nm_bids])),
    caps.bidsPerCampaign,
    caps.bidCampaigns
  ).map((call) => call.map(({ advert_id, items }) => ({ advert_id, nm_bids: items })))

/** At most 20 campaigns with 50 articles each per call. */
export const splitProducts = (changes: ReadonlyArray<ProductChange>): ReadonlyArray<ReadonlyArray<ProductChange>> =>
  rounds(
    byCampaign(
      changes.map(({ add_nms = [], advert_id, delete_nms = [] }) => [
        advert_id,
        [...delete_nms.map((nm) => ({ nm, add: false })), ...add_nms.map((nm) => ({ nm, add: true }))]
      ])
    ),
    caps.productsPerCampaign,
    caps.productCampaigns
  ).map((call) =>
    call.map(({ advert_id, items }) => ({
      advert_id,
      add_nms: items.filter(({ add }) => add).map(({ nm }) => nm),
      delete_nms: items.filter(({ add }) => !add).map(({ nm }) => nm)
    }))
  )

/** At most 50 campaigns and 31 days per call. */
export const splitFullstats = ({ beginDate, endDate, ids }: FullstatsRequest) =>
  spans(beginDate, endDate, caps.fullstatsDays).flatMap(({ from, to }) =>
    chunks([...new Set(ids)], caps.campaignIds).map((some) => ({ beginDate: from, endDate: to, ids: some }))
  )

/** The days from `from` to `to`, inclusive, in spans of at most `most` days; none if a date is invalid. */
export const spans = (
  from: string,
  to: string,
  most: number
): ReadonlyArray<{ readonly from: string; readonly to: string }> => {
  const first = Option.getOrUndefined(DateTime.make(`${from}T00:00:00Z`))
  const last = Option.getOrUndefined(DateTime.make(`${to}T00:00:00Z`))
  if (first === undefined || last === undefined) return []
  const parts = []
  for (let begin = first; DateTime.isLessThanOrEqualTo(begin, last); begin = DateTime.add(begin, { days: most })) {
    const end = DateTime.min(DateTime.add(begin, { days: most - 1 }), last)
    parts.push({ from: DateTime.formatIsoDateUtc(begin), to: DateTime.formatIsoDateUtc(end) })
  }
  return parts
}

const added = ["views", "clicks", "atbs", "orders", "shks", "canceled"] as const
const paid = ["sum", "sum_price"] as const

type Told = number | null | undefined

/** Null if neither span has the number. */
const sumOf = (a: Told, b: Told): number | null =>
  a === null || a === undefined ? (b ?? null) : b === null || b === undefined ? a : a + b

/** Rubles rounded to kopecks, so that sums do not accumulate floating-point errors. */
const inKopecks = (rubles: Told): Told => (typeof rubles === "number" ? Math.round(rubles * 100) : rubles)

const ratio = (part: Told, whole: Told): number => (part && whole ? Math.round((part / whole) * 100) / 100 : 0)

const percentage = (part: Told, whole: Told): number => ratio(part && part * 100, whole)

/** The lists by day of two spans, concatenated. */
const listsOf = (a: CampaignStats, b: CampaignStats) =>
  Object.fromEntries(
    Object.keys({ days: [], ...a, ...b }).flatMap((name) => {
      const lists = [a[name], b[name]].filter((list) => Array.isArray(list))
      return name === "days" || lists.length > 0 ? [[name, lists.flat()]] : []
    })
  )

/** One campaign's statistics over two consecutive spans: counts are added, rates recomputed. */
const join = (a: CampaignStats, b: CampaignStats): CampaignStats => {
  const counts = Object.fromEntries(added.map((name) => [name, sumOf(a[name], b[name])]))
  const money = Object.fromEntries(
    paid.map((name) => {
      const kopecks = sumOf(inKopecks(a[name]), inKopecks(b[name]))
      return [name, kopecks === null ? null : kopecks / 100]
    })
  )
  const { clicks, orders, views } = counts
  return {
    ...a,
    ...b,
    ...counts,
    ...money,
    ctr: percentage(clicks, views),
    cpc: ratio(money["sum"], clicks),
    cr: percentage(orders, clicks),
    ...listsOf(a, b)
  }
}

/** One entry per campaign from the answers for several spans, in their order. */
export const joinSpans = (answers: ReadonlyArray<CampaignStats>): ReadonlyArray<CampaignStats> => {
  const joined = new Map<number, CampaignStats>()
  for (const stats of answers) {
    const before = joined.get(stats.advertId)
    joined.set(stats.advertId, before === undefined ? stats : join(before, stats))
  }
  return [...joined.values()]
}
