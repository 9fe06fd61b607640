import { DateTime, Duration, Schema } from "effect"

import { status } from "../client/Campaign.ts"
import { ClusterStatsRequest } from "../client/Clusters.ts"
import { Day } from "../client/ids.ts"
import { type Call, type Endpoint, Id, Ids, type On } from "./Endpoint.ts"
import { errorFormats, invalid, invalidFields, missing, ok, type Reply, unwanted } from "./Reply.ts"
import { type Advert, isWideOfManual, type State } from "./State.ts"

/** Made-up numbers, deterministic by campaign or article and day. */
const views = (seed: number, day: number): number => 400 + ((seed * 7919 + day * 104_729) % 600)

const midnight = (day: string): DateTime.Utc => DateTime.makeUnsafe(`${day}T00:00:00Z`)

/** The number of days between two dates, inclusive; 0 if they are in the wrong order. */
const daysBetween = (from: string, to: string): number =>
  Math.max(0, Duration.toDays(DateTime.distance(midnight(from), midnight(to))) + 1)

const daysFrom = (first: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, days) => DateTime.formatIsoDateUtc(DateTime.add(midnight(first), { days })))

const metrics = (shown: number) => {
  const clicks = Math.floor(shown / 25)
  const sum = Math.round(shown * 25) / 100
  return {
    views: shown,
    clicks,
    ctr: Math.round((clicks / shown) * 10_000) / 100,
    cpc: Math.round((sum / clicks) * 100) / 100,
    cr: 0,
    atbs: Math.floor(clicks / 5),
    orders: 0,
    shks: 0,
    canceled: 0,
    sum,
    sum_price: 0
  }
}

const total = (days: ReadonlyArray<ReturnType<typeof metrics>>) =>
  metrics(days.reduce((sum, day) => sum + day.views, 0))

/** A day with all numbers from the site and the first article. */
const dayOf = (date: string, day: ReturnType<typeof metrics>, advert: Advert) => {
  const nms = advert.rows.slice(0, 1).map(({ nm_id }) => ({ nmId: nm_id, name: "goods", ...day }))
  return { date: `${date}T00:00:00Z`, ...day, apps: [{ appType: 1, ...day, nms }] }
}

const clusterStat = (shown: number, index: number, norm_query: string) => {
  const { clicks, cpc, ctr, views: seen } = metrics(shown)
  return { norm_query, views: seen, clicks, ctr, cpc, avg_pos: 3 + index, currency: "RUB" }
}

const clusters = (state: State, { from, items, to }: ClusterStatsRequest, { wire }: Call): Reply => {
  const days = daysBetween(from, to)
  if (days > 30) return invalid("max date range 30 days")
  if (items.some(isWideOfManual(state))) return invalid("nm 0 not found or inactive")
  const hidden = { views: null, ctr: null }
  return ok({
    stats: items.flatMap(({ advert_id, nm_id }) => {
      const advert = state.adverts.get(advert_id)
      if (advert === undefined) return []
      // With pay per click, the published wire omits views; the specification allows only numbers.
      const untold = wire === "published" && advert.payment_type === "cpc" ? hidden : {}
      const stats = ["gift", "for home", "cheap"].map((phrase, index) => ({
        ...clusterStat(views(nm_id + index, days), index, phrase),
        ...untold
      }))
      return [{ advert_id, nm_id, stats }]
    })
  })
}

const hasRun = ({ status: value }: Advert): boolean =>
  value === status.finished || value === status.active || value === status.paused

const Fullstats = Schema.Struct({
  ids: Ids.check(Schema.isMinLength(1), Schema.isMaxLength(50)),
  beginDate: Day,
  endDate: Day
})
type Fullstats = typeof Fullstats.Type

const fullstats = (state: State, { beginDate, endDate, ids }: Fullstats): Reply => {
  const days = daysBetween(beginDate, endDate)
  if (days === 0 || days > 31) {
    return invalidFields([{ detail: "max date range 31 days", field: "begin and end" }])
  }
  const known = ids.flatMap((id) => state.adverts.get(id) ?? []).filter(hasRun)
  const told = known.map((advert) => {
    const rows = daysFrom(beginDate, days).map((date, index) => dayOf(date, metrics(views(advert.id, index)), advert))
    return { advertId: advert.id, ...total(rows), days: rows, currency: "RUB" }
  })
  return ok(told.length === 0 ? null : told)
}

const Keywords = Schema.Struct({ advert_id: Id, from: Day, to: Day })
type Keywords = typeof Keywords.Type

const keywords = (state: State, { advert_id, from, to }: Keywords): Reply => {
  const days = daysBetween(from, to)
  if (!state.adverts.has(advert_id)) return missing("campaign not found")
  if (days > 7) return unwanted("the period of stats cannot be more than one week")
  return ok({
    keywords: daysFrom(from, days).map((date, index) => {
      const { clicks, ctr, sum, views: shown } = metrics(views(advert_id, index))
      return { date, stats: [{ keyword: "gift", views: shown, clicks, ctr, sum }] }
    })
  })
}

/** The operations that read statistics. */
export const statistics = (on: On): ReadonlyArray<Endpoint> => [
  on("POST", "/adv/v0/normquery/stats", errorFormats.campaigns, ClusterStatsRequest, { read: clusters }),
  on("GET", "/adv/v3/fullstats", errorFormats.statistics, Fullstats, { read: fullstats }),
  on("GET", "/adv/v0/stats/keywords", errorFormats.keywords, Keywords, { read: keywords })
]
