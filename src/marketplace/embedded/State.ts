import { DateTime } from "effect"

import type { Purse } from "../client/Account.ts"
import { type PaymentType, type Placement, status } from "../client/Campaign.ts"
import { campaignWide, type Pair } from "../client/ids.ts"
import { Kopecks } from "../client/money.ts"

/** The bids of one article of a campaign. */
export interface Row {
  readonly nm_id: number
  readonly search: Kopecks
  readonly recommendations: Kopecks
}

/** The interest of shoppers in the articles of a campaign. */
export interface Demand {
  /** Views of one article on a day. */
  readonly views: number
  /** Orders for each click. */
  readonly conversion: number
  /** Rubles of one order. */
  readonly price: number
  /** Rubles for a thousand views. */
  readonly cpm: number
}

/** A campaign as the marketplace stores it; `budget` is in rubles. */
export interface Advert {
  readonly id: number
  readonly name: string
  readonly bid_type: "auto" | "manual"
  readonly status: number
  readonly payment_type: PaymentType
  readonly search: boolean
  readonly recommendations: boolean
  readonly created: string
  readonly budget: number
  /** The moment of that budget, from which on it falls by what is spent, in milliseconds; without it, it stays. */
  readonly budgetAt?: number
  /** The difference between its shoppers and others. */
  readonly demand?: Partial<Demand>
  /** The first day without views. */
  readonly pausedOn?: number
  readonly rows: ReadonlyArray<Row>
  /** The moment of its deletion; it has the status -1 for a while before it is gone. */
  readonly deleted?: DateTime.Utc
}

/** An article as its seller has named it. */
export interface Good {
  readonly name: string
  readonly subject: string
}

/** A daily limit of a campaign that pays for clicks, in kopecks. */
export interface DailyLimit {
  readonly enabled: boolean
  readonly dailyLimit: number
  readonly carryOverEnabled: boolean
}

/** An account: campaigns by id, phrases by `advert:nm`, cluster bids by `advert:nm:phrase`. */
export interface State {
  readonly adverts: ReadonlyMap<number, Advert>
  readonly phrases: ReadonlyMap<string, ReadonlyArray<string>>
  readonly clusterBids: ReadonlyMap<string, Kopecks>
  readonly nextId: number
  readonly goods: ReadonlyMap<number, Good>
  /** Money of the account in rubles. */
  readonly purse: Readonly<Record<Purse, number>>
  readonly dailyLimits: ReadonlyMap<number, DailyLimit>
  /** From which statistics are drawn. */
  readonly seed: number
  /** The moment of the first statistics, in milliseconds; without it, there are some of every day. */
  readonly since?: number
}

/** An account with these campaigns, phrases and cluster bids. */
export const stateOf = (
  adverts: ReadonlyArray<Advert>,
  phrases: State["phrases"] = new Map(),
  clusterBids: State["clusterBids"] = new Map()
): State => ({
  adverts: new Map(adverts.map((advert) => [advert.id, advert])),
  phrases,
  clusterBids,
  nextId: Math.max(0, ...adverts.map(({ id }) => id)) + 1,
  goods: new Map(),
  purse: { account: 100_000, balance: 50_000, bonus: 0 },
  dailyLimits: new Map(),
  seed: 1
})

/** The account with a campaign added or replaced. */
export const withAdvert = (state: State, advert: Advert): State => ({
  ...state,
  adverts: new Map([...state.adverts, [advert.id, advert]])
})

/** The shortest time that a deletion takes; the longest is 10 minutes. */
const deletion = "3 minutes"

const isGone =
  (now: DateTime.Utc) =>
  ({ deleted }: Advert): boolean =>
    deleted !== undefined && DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(deleted, deletion))

/** The account without the campaigns whose deletion is complete, and without their phrases and bids. */
export const withoutGone = (state: State, now: DateTime.Utc): State => {
  const gone = [...state.adverts.values()].filter(isGone(now)).map(({ id }) => id)
  if (gone.length === 0) return state
  const isKept = ([key]: readonly [string, unknown]) => !gone.includes(Number(key.split(":")[0]))
  return {
    ...state,
    adverts: new Map([...state.adverts].filter(([id]) => !gone.includes(id))),
    phrases: new Map([...state.phrases].filter(isKept)),
    clusterBids: new Map([...state.clusterBids].filter(isKept))
  }
}

/** The minimum bids, by placement. */
export const floors = {
  combined: Kopecks.make(15_500),
  search: Kopecks.make(25_000),
  recommendations: Kopecks.make(25_000)
} as const

/** Whether bids, articles and phrases of a campaign may change in its status. */
export const isChangeable = ({ status: value }: Advert): boolean =>
  value === status.ready || value === status.active || value === status.paused

/** The placements at which the articles of a campaign have their own bids. */
export const placementsOf = (advert: Advert): ReadonlyArray<Placement> => {
  if (advert.bid_type === "auto") return ["combined"]
  return [
    ...(advert.search ? (["search"] as const) : []),
    ...(advert.recommendations ? (["recommendations"] as const) : [])
  ]
}

/** The row with another bid at a placement. */
export const withBid = (row: Row, placement: Placement, bid: Kopecks): Row =>
  placement === "combined" ? { ...row, search: bid, recommendations: bid } : { ...row, [placement]: bid }

/** The row of a new article: it bids the minimum. */
export const lowestRow = (advert: Omit<Advert, "rows">, nm_id: number): Row => {
  const search = advert.bid_type === "auto" ? floors.combined : floors.search
  return {
    nm_id,
    search: advert.search ? search : Kopecks.make(0),
    recommendations: advert.recommendations ? search : Kopecks.make(0)
  }
}

/** Whether article 0 is requested of a campaign with manual bids: it stands for all articles only if they share one bid. */
export const isWideOfManual =
  ({ adverts }: State) =>
  ({ advert_id, nm_id }: Pair): boolean =>
    nm_id === campaignWide && adverts.get(advert_id)?.bid_type === "manual"
