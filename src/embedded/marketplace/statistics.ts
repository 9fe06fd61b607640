import { DateTime, Option, Schema } from "effect"

import { ClusterStatsRequest } from "../../marketplace/Clusters.ts"
import { invalid, ok, type Reply } from "./Reply.ts"
import type { Advert, State } from "./State.ts"

/** Made-up but steady numbers: the same campaign, article and day always show the same. */
const views = (seed: number, day: number): number => 400 + ((seed * 7919 + day * 104_729) % 600)

const daysBetween = (from: string, to: string): ReadonlyArray<string> => {
  const first = Option.getOrUndefined(DateTime.make(`${from}T00:00:00Z`))
  const last = Option.getOrUndefined(DateTime.make(`${to}T00:00:00Z`))
  if (first === undefined || last === undefined) return []
  const days: Array<string> = []
  for (let day = first; DateTime.isLessThanOrEqualTo(day, last); day = DateTime.add(day, { days: 1 })) {
    days.push(DateTime.formatIsoDateUtc(day))
  }
  return days
}

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

/** A day on which everything happened on the site, with the first article. */
const dayOf = (date: string, day: ReturnType<typeof metrics>, advert: Advert | undefined) => {
  const nms = (advert?.rows ?? []).slice(0, 1).map(({ nm_id }) => ({ nmId: nm_id, name: "goods", ...day }))
  return { date: `${date}T00:00:00Z`, ...day, apps: [{ appType: 1, ...day, nms }] }
}

export const clusters = (state: State, body: unknown): Reply => {
  const { from, items, to } = Schema.decodeUnknownSync(ClusterStatsRequest)(body)
  const days = daysBetween(from, to).length
  if (days > 30) return invalid("max date range 30 days")
  return ok({
    stats: items
      .filter(({ advert_id }) => state.adverts.has(advert_id))
      .map(({ advert_id, nm_id }) => ({
        advert_id,
        nm_id,
        stats: ["gift", "for home", "cheap"].map((norm_query, index) => {
          const { clicks, cpc, ctr, views: shown } = metrics(views(nm_id + index, days))
          return { norm_query, views: shown, clicks, ctr, cpc, avg_pos: 3 + index, currency: "RUB" }
        })
      }))
  })
}

export const fullstats = (state: State, query: Readonly<Record<string, string>>): Reply => {
  const ids = (query["ids"] ?? "").split(",").map(Number)
  const days = daysBetween(query["beginDate"] ?? "", query["endDate"] ?? "")
  if (ids.length > 50 || ids.some(Number.isNaN)) return invalid("invalid ids")
  if (days.length === 0 || days.length > 31) return invalid("max date range 31 days")
  const known = ids.filter((id) => state.adverts.has(id))
  return ok(
    known.length === 0
      ? null
      : known.map((advertId) => {
          const rows = days.map((date, index) =>
            dayOf(date, metrics(views(advertId, index)), state.adverts.get(advertId))
          )
          return { advertId, ...total(rows), days: rows, currency: "RUB" }
        })
  )
}

export const keywords = (state: State, query: Readonly<Record<string, string>>): Reply => {
  const days = daysBetween(query["from"] ?? "", query["to"] ?? "")
  const id = Number(query["advert_id"])
  if (!state.adverts.has(id)) return { status: 404, json: { message: "campaign not found", type: "not found" } }
  if (days.length > 7) {
    return { status: 400, json: { message: "the period of stats cannot be more than one week", type: "bad request" } }
  }
  return ok({
    keywords: days.map((date, index) => {
      const { clicks, ctr, sum, views: shown } = metrics(views(id, index))
      return { date, stats: [{ keyword: "gift", views: shown, clicks, ctr, sum }] }
    })
  })
}
