import { DateTime } from "effect"

import type { Advert, Demand, State } from "./State.ts"

/* Statistics of the embedded marketplace: made up, but the same at every reading, and in agreement with each other. */

const dayMs = 86_400_000
/** Days of the marketplace begin at midnight in Moscow. */
const moscowMs = 3 * 3_600_000

/** The number of a Moscow day since 1970. */
export const dayNumber = (ms: number): number => Math.floor((ms + moscowMs) / dayMs)
/** The number of a day that is written as `YYYY-MM-DD`. */
export const dayOf = (text: string): number =>
  Math.floor(DateTime.toEpochMillis(DateTime.makeUnsafe(`${text}T00:00:00Z`)) / dayMs)

/** Counts of one article, or of one of its search clusters, on one day; money in kopecks. */
export interface Counts {
  readonly views: number
  readonly clicks: number
  readonly atbs: number
  readonly orders: number
  readonly shks: number
  readonly canceled: number
  readonly spent: number
  readonly revenue: number
}

export const nothing: Counts = {
  views: 0,
  clicks: 0,
  atbs: 0,
  orders: 0,
  shks: 0,
  canceled: 0,
  spent: 0,
  revenue: 0
}

export const plus = (a: Counts, b: Counts): Counts => ({
  views: a.views + b.views,
  clicks: a.clicks + b.clicks,
  atbs: a.atbs + b.atbs,
  orders: a.orders + b.orders,
  shks: a.shks + b.shks,
  canceled: a.canceled + b.canceled,
  spent: a.spent + b.spent,
  revenue: a.revenue + b.revenue
})

/** A number from 0 to 1 that depends on all of these. */
const chance = (...parts: ReadonlyArray<number>): number => {
  let hash = 2_166_136_261
  for (const part of parts) {
    hash = Math.imul(hash ^ (part | 0), 16_777_619)
    hash ^= hash >>> 13
    hash = Math.imul(hash, 0x5bd1e995)
    hash ^= hash >>> 15
  }
  return (hash >>> 0) / 2 ** 32
}

/** Endings of queries with their share of an article's views; those that never lead to an order are marked. */
const queries: ReadonlyArray<{ readonly ending: string; readonly share: number; readonly isVain?: true }> = [
  { ending: "", share: 0.2 },
  { ending: " купить", share: 0.12 },
  { ending: " своими руками", share: 0.1, isVain: true },
  { ending: " в подарок", share: 0.08 },
  { ending: " для дома", share: 0.07 },
  { ending: " недорого", share: 0.06 },
  { ending: " фото", share: 0.05, isVain: true },
  { ending: " набор", share: 0.04 },
  { ending: " бу", share: 0.03, isVain: true },
  { ending: " оптом", share: 0.03 },
  { ending: " большой", share: 0.02 },
  { ending: " белый", share: 0.02 }
]

/** The queries by which shoppers come to an article; other views have no query. */
export const queriesOf = ({ goods }: State, nm_id: number): ReadonlyArray<string> => {
  const subject = goods.get(nm_id)?.subject.toLowerCase()
  return subject === undefined ? ["gift", "for home", "cheap"] : queries.map(({ ending }) => subject + ending)
}

const demandOf = ({ seed }: State, { demand, id }: Advert, nm_id: number): Demand => ({
  views: 90 + 200 * chance(seed, id, nm_id, 1),
  conversion: 0.07 + 0.05 * chance(seed, id, nm_id, 2),
  price: 1200 + Math.floor(1800 * chance(seed, id, nm_id, 3)),
  cpm: 150 + Math.floor(200 * chance(seed, id, nm_id, 4)),
  ...demand
})

const counted = (demand: Demand, part: number, conversion: number, draw: (kind: number) => number): Counts => {
  const views = Math.floor(demand.views * part * (0.8 + 0.4 * draw(1)) + draw(2))
  const clicks = Math.min(views, Math.floor(views * (0.03 + 0.03 * draw(3)) + draw(4)))
  const orders = Math.min(clicks, Math.floor(clicks * conversion + draw(5)) * Number(conversion > 0))
  return {
    views,
    clicks,
    atbs: Math.min(clicks, orders + Math.floor(clicks * 0.12 + draw(6))),
    orders,
    shks: orders + Math.floor(orders * 0.3 * draw(7)),
    canceled: Math.floor(orders * 0.2 * draw(8)),
    spent: Math.round((views * demand.cpm) / 10),
    revenue: orders * demand.price * 100
  }
}

/** The part of a day that is over; 1 for past days, 0 for those to come. An account without a beginning has every day. */
const partOfDay = ({ since }: State, day: number, now: number): number => {
  if (since === undefined) return 1
  const today = dayNumber(now)
  if (day > today || day < dayNumber(since)) return 0
  return day < today ? 1 : ((((now + moscowMs) % dayMs) + dayMs) % dayMs) / dayMs
}

/** The search clusters of an article on a day, each with its query. */
export const clusterDays = (
  state: State,
  advert: Advert,
  nm_id: number,
  day: number,
  now: number
): ReadonlyArray<readonly [query: string, Counts]> => {
  const part = partOfDay(state, day, now)
  if (part === 0 || !hasRunOn(advert, day)) return []
  const demand = demandOf(state, advert, nm_id)
  const names = queriesOf(state, nm_id)
  return queries.flatMap(({ isVain, share }, index) => {
    const draw = (kind: number) => chance(state.seed, advert.id, nm_id, day, index, kind)
    const counts = counted(demand, share * part, isVain === true ? 0 : demand.conversion, draw)
    const name = names[index]
    return name === undefined || counts.views === 0 ? [] : [[name, counts] as const]
  })
}

/** An article on a day: its clusters, and the views that have no query. */
export const articleDay = (state: State, advert: Advert, nm_id: number, day: number, now: number): Counts => {
  const part = partOfDay(state, day, now)
  if (part === 0 || !hasRunOn(advert, day)) return nothing
  const demand = demandOf(state, advert, nm_id)
  const draw = (kind: number) => chance(state.seed, advert.id, nm_id, day, 99, kind)
  const clusters = clusterDays(state, advert, nm_id, day, now)
  return clusters.reduce((sum, [, counts]) => plus(sum, counts), counted(demand, 0.18 * part, demand.conversion, draw))
}

/** The average place of an article on a day. */
export const positionOn = ({ seed }: State, { id }: Advert, nm_id: number, day: number): number =>
  2 + Math.floor(30 * chance(seed, id, nm_id, day, 7))

const hasRunOn = ({ pausedOn }: Advert, day: number): boolean => pausedOn === undefined || day < pausedOn

/** Kopecks that a campaign has spent between two moments. */
export const spentBetween = (state: State, advert: Advert, from: number, to: number): number => {
  let sum = 0
  for (let day = dayNumber(from); day <= dayNumber(to); day++) {
    for (const { nm_id } of advert.rows) {
      sum += articleDay(state, advert, nm_id, day, to).spent
      if (day === dayNumber(from)) sum -= articleDay(state, advert, nm_id, day, from).spent
    }
  }
  return Math.max(0, sum)
}
