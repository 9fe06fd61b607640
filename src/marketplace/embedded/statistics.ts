import { DateTime, Schema } from "effect"

import { status } from "../client/Campaign.ts"
import { ClusterStatsRequest } from "../client/Clusters.ts"
import { Day, type Pair } from "../client/ids.ts"
import { articleDay, clusterDays, type Counts, dayOf, nothing, plus, positionOn, queriesOf } from "./demand.ts"
import { type Call, type Endpoint, Id, Ids, type On } from "./Endpoint.ts"
import { errorFormats, invalid, invalidFields, missing, ok, type Reply, unwanted } from "./Reply.ts"
import { type Advert, isWideOfManual, type State } from "./State.ts"

const dayMs = 86_400_000

const textOf = (day: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(day * dayMs))

/** The days from the first to the last, inclusive; none if they are in the wrong order. */
const daysBetween = (from: string, to: string): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, dayOf(to) - dayOf(from) + 1) }, (_, index) => dayOf(from) + index)

const hundredths = (value: number): number => Math.round(value * 100) / 100
const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : hundredths(part / whole))

const metrics = ({ revenue, spent, ...counts }: Counts) => ({
  ...counts,
  ctr: ratio(100 * counts.clicks, counts.views),
  cpc: ratio(spent / 100, counts.clicks),
  cr: ratio(100 * counts.orders, counts.clicks),
  sum: spent / 100,
  sum_price: revenue / 100
})

const sumOf = (all: ReadonlyArray<Counts>): Counts => all.reduce(plus, nothing)

const clusterStat = ({ atbs, clicks, orders, shks, spent, views }: Counts, index: number) => ({
  views,
  clicks,
  atbs,
  orders,
  shks,
  ctr: ratio(100 * clicks, views),
  cpc: ratio(spent / 100, clicks),
  cpm: ratio(10 * spent, views),
  spend: spent / 100,
  position: 3 + index
})

/** The marketplace says nothing of views where clicks are paid, but on the specification's wire, which allows only numbers. */
const untold = (call: Call, { payment_type }: Advert) =>
  call.wire === "published" && payment_type === "cpc" ? { views: null, ctr: null, cpm: null } : {}

const clusters = (state: State, { from, items, to }: ClusterStatsRequest, call: Call): Reply => {
  const days = daysBetween(from, to)
  if (days.length > 30) return invalid("max date range 30 days")
  if (items.some(isWideOfManual(state))) return invalid("nm 0 not found or inactive")
  const now = DateTime.toEpochMillis(call.now)
  return ok({
    stats: items.flatMap(({ advert_id, nm_id }) => {
      const advert = state.adverts.get(advert_id)
      if (advert === undefined) return []
      const sums = new Map<string, Counts>()
      for (const day of days) {
        for (const [query, counts] of clusterDays(state, advert, nm_id, day, now)) {
          sums.set(query, plus(sums.get(query) ?? nothing, counts))
        }
      }
      const names = queriesOf(state, nm_id)
      const stats = [...sums].map(([norm_query, counts]) => {
        const { position, ...stat } = clusterStat(counts, names.indexOf(norm_query))
        return { norm_query, ...stat, avg_pos: position, currency: "RUB", ...untold(call, advert) }
      })
      return [{ advert_id, nm_id, stats }]
    })
  })
}

const DailyRequest = Schema.Struct({
  from: Day,
  to: Day,
  items: Schema.Array(Schema.Struct({ advertId: Schema.Int, nmId: Schema.Int }))
})
type DailyRequest = typeof DailyRequest.Type

const pairOf = ({ advertId, nmId }: DailyRequest["items"][number]): Pair => ({ advert_id: advertId, nm_id: nmId })

const clustersByDay = (state: State, { from, items, to }: DailyRequest, call: Call): Reply => {
  const days = daysBetween(from, to)
  if (days.length > 30) return invalid("max date range 30 days")
  if (items.map(pairOf).some(isWideOfManual(state))) return invalid("nm 0 not found or inactive")
  const now = DateTime.toEpochMillis(call.now)
  return ok({
    items: items.flatMap(({ advertId, nmId }) => {
      const advert = state.adverts.get(advertId)
      if (advert === undefined) return []
      const names = queriesOf(state, nmId)
      const dailyStats = days.flatMap((day) =>
        clusterDays(state, advert, nmId, day, now).map(([normQuery, counts]) => {
          const { position, ...stat } = clusterStat(counts, names.indexOf(normQuery))
          return { date: textOf(day), stat: { normQuery, ...stat, avgPos: position, ...untold(call, advert) } }
        })
      )
      return [{ advertId, nmId, dailyStats }]
    })
  })
}

const ListRequest = Schema.Struct({ items: DailyRequest.fields.items })

/** A cluster is excluded where its query is among the minus-phrases. */
const clusterLists = (state: State, { items }: typeof ListRequest.Type): Reply =>
  ok({
    items: items.flatMap(({ advertId, nmId }) => {
      if (!state.adverts.has(advertId)) return []
      const excluded = state.phrases.get(`${advertId}:${nmId}`) ?? []
      const active = queriesOf(state, nmId).filter((query) => !excluded.includes(query))
      return [{ advertId, nmId, normQueries: { active, excluded, archived: null } }]
    })
  })

const hasRun = ({ status: value }: Advert): boolean =>
  value === status.finished || value === status.active || value === status.paused

const Fullstats = Schema.Struct({
  ids: Ids.check(Schema.isMinLength(1), Schema.isMaxLength(50)),
  beginDate: Day,
  endDate: Day
})
type Fullstats = typeof Fullstats.Type

/** One campaign on one day: everything on the site, by article. */
const campaignDay = (state: State, advert: Advert, day: number, now: number) => {
  const articles = advert.rows.map(({ nm_id }) => ({ nm_id, counts: articleDay(state, advert, nm_id, day, now) }))
  const total = sumOf(articles.map(({ counts }) => counts))
  if (total.views + total.orders === 0) return undefined
  const nms = articles
    .filter(({ counts }) => counts.views > 0)
    .map(({ counts, nm_id }) => ({ nmId: nm_id, name: state.goods.get(nm_id)?.name ?? "goods", ...metrics(counts) }))
  return {
    total,
    row: {
      date: `${textOf(day)}T00:00:00Z`,
      ...metrics(total),
      apps: [{ appType: 1, ...metrics(total), nms }]
    }
  }
}

const fullstats = (state: State, { beginDate, endDate, ids }: Fullstats, { now: moment }: Call): Reply => {
  const days = daysBetween(beginDate, endDate)
  if (days.length === 0 || days.length > 31) {
    return invalidFields([{ detail: "max date range 31 days", field: "begin and end" }])
  }
  const now = DateTime.toEpochMillis(moment)
  const adverts = ids.flatMap((id) => state.adverts.get(id) ?? []).filter(hasRun)
  const reports = adverts.flatMap((advert) => {
    const rows = days.flatMap((day) => campaignDay(state, advert, day, now) ?? [])
    if (rows.length === 0) return []
    const boosterStats = days.flatMap((day) =>
      advert.rows.map(({ nm_id }) => ({
        date: textOf(day),
        nm: nm_id,
        avg_position: positionOn(state, advert, nm_id, day)
      }))
    )
    return [
      {
        advertId: advert.id,
        ...metrics(sumOf(rows.map(({ total }) => total))),
        days: rows.map(({ row }) => row),
        boosterStats,
        currency: "RUB"
      }
    ]
  })
  return ok(reports.length === 0 ? null : reports)
}

const Keywords = Schema.Struct({ advert_id: Id, from: Day, to: Day })
type Keywords = typeof Keywords.Type

const keywords = (state: State, { advert_id, from, to }: Keywords, { now: moment }: Call): Reply => {
  const days = daysBetween(from, to)
  const advert = state.adverts.get(advert_id)
  if (advert === undefined) return missing("campaign not found")
  if (days.length > 7) return unwanted("the period of stats cannot be more than one week")
  const now = DateTime.toEpochMillis(moment)
  const [nm_id = 0] = advert.rows.map((row) => row.nm_id)
  return ok({
    keywords: days.map((day) => ({
      date: textOf(day),
      stats: clusterDays(state, advert, nm_id, day, now).map(([keyword, counts]) => {
        const { clicks, ctr, sum, views } = metrics(counts)
        return { keyword, views, clicks, ctr, sum }
      })
    }))
  })
}

/** The operations that read statistics. */
export const statistics = (on: On): ReadonlyArray<Endpoint> => [
  on("POST", "/adv/v0/normquery/stats", errorFormats.campaigns, ClusterStatsRequest, { read: clusters }),
  on("POST", "/adv/v1/normquery/stats", errorFormats.campaigns, DailyRequest, { read: clustersByDay }),
  on("POST", "/adv/v0/normquery/list", errorFormats.campaigns, ListRequest, { read: clusterLists }),
  on("GET", "/adv/v3/fullstats", errorFormats.statistics, Fullstats, { read: fullstats }),
  on("GET", "/adv/v0/stats/keywords", errorFormats.keywords, Keywords, { read: keywords })
]
