import { type Placement, status } from "../../marketplace/Campaign.ts"
import { Kopecks } from "../../marketplace/money.ts"
import type { Advert, Row } from "./State.ts"

/** The lowest bid, by where the bid holds. */
export const floors = {
  combined: Kopecks.make(15_500),
  search: Kopecks.make(25_000),
  recommendations: Kopecks.make(25_000)
} as const

export const isChangeable = ({ status: value }: Advert): boolean =>
  value === status.ready || value === status.active || value === status.paused

export const placementsOf = (advert: Advert): ReadonlyArray<Placement> => {
  if (advert.bid_type === "auto") return ["combined"]
  return [
    ...(advert.search ? (["search"] as const) : []),
    ...(advert.recommendations ? (["recommendations"] as const) : [])
  ]
}

export const withBid = (row: Row, placement: Placement, bid: Kopecks): Row =>
  placement === "combined" ? { ...row, search: bid, recommendations: bid } : { ...row, [placement]: bid }

/** An article that has just been added bids the least it may. */
export const lowestRow = (advert: Omit<Advert, "rows">, nm_id: number): Row => {
  const search = advert.bid_type === "auto" ? floors.combined : floors.search
  return {
    nm_id,
    search: advert.search ? search : Kopecks.make(0),
    recommendations: advert.recommendations ? search : Kopecks.make(0)
  }
}
