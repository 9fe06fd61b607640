import type { PaymentType } from "../../marketplace/Campaign.ts"
import type { Kopecks } from "../../marketplace/money.ts"

/** The bids of one article of a campaign. */
export interface Row {
  readonly nm_id: number
  readonly search: Kopecks
  readonly recommendations: Kopecks
}

/** A campaign as the marketplace keeps it. Its `name` is what is shown; `budget` is in rubles. */
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
  readonly rows: ReadonlyArray<Row>
}

/** Everything the marketplace knows: campaigns by id, phrases by `advert:nm`, cluster bids by `advert:nm:phrase`. */
export interface State {
  readonly adverts: ReadonlyMap<number, Advert>
  readonly phrases: ReadonlyMap<string, ReadonlyArray<string>>
  readonly clusterBids: ReadonlyMap<string, Kopecks>
  readonly nextId: number
}

export const stateOf = (adverts: ReadonlyArray<Advert>, phrases: State["phrases"] = new Map()): State => ({
  adverts: new Map(adverts.map((advert) => [advert.id, advert])),
  phrases,
  clusterBids: new Map(),
  nextId: Math.max(0, ...adverts.map(({ id }) => id)) + 1
})

export const withAdvert = (state: State, advert: Advert): State => ({
  ...state,
  adverts: new Map([...state.adverts, [advert.id, advert]])
})
