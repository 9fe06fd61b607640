import { DateTime } from "effect"

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
  /** When it was deleted: it stays in the status -1 for a while, then it is gone. */
  readonly deleted?: DateTime.Utc
}

/** Everything the marketplace knows: campaigns by id, phrases by `advert:nm`, cluster bids by `advert:nm:phrase`. */
export interface State {
  readonly adverts: ReadonlyMap<number, Advert>
  readonly phrases: ReadonlyMap<string, ReadonlyArray<string>>
  readonly clusterBids: ReadonlyMap<string, Kopecks>
  readonly nextId: number
}

export const stateOf = (
  adverts: ReadonlyArray<Advert>,
  phrases: State["phrases"] = new Map(),
  clusterBids: State["clusterBids"] = new Map()
): State => ({
  adverts: new Map(adverts.map((advert) => [advert.id, advert])),
  phrases,
  clusterBids,
  nextId: Math.max(0, ...adverts.map(({ id }) => id)) + 1
})

export const withAdvert = (state: State, advert: Advert): State => ({
  ...state,
  adverts: new Map([...state.adverts, [advert.id, advert]])
})

/** The least time that the marketplace takes for a deletion; the most is 10 minutes. */
const deletion = "3 minutes"

const isGone =
  (now: DateTime.Utc) =>
  ({ deleted }: Advert): boolean =>
    deleted !== undefined && DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(deleted, deletion))

/** A deleted campaign goes with everything that is kept for it, once its time has come. */
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
