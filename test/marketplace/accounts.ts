import { DateTime } from "effect"

import { Kopecks } from "../../src/marketplace/client/money.ts"
import { type Advert, type State, stateOf, withoutGone } from "../../src/marketplace/embedded/State.ts"

/** An account of one-bid campaigns with campaign-wide phrases; every bid another one. */
export const bigAccount = (size: { readonly campaigns: number; readonly articles: number }): State => {
  const numbers = Array.from({ length: size.campaigns }, (_, index) => index)
  const advertOf = (campaign: number): Advert => ({
    id: 7000 + campaign,
    name: `Goods ${campaign}`,
    bid_type: "auto",
    status: [9, 11, 4][campaign % 3] ?? 9,
    payment_type: "cpm",
    search: true,
    recommendations: true,
    created: "2025-05-01T00:00:00+03:00",
    budget: 1000,
    rows: Array.from({ length: size.articles }, (_unused, article) => {
      const bid = Kopecks.make(15_500 + campaign * 31 + article)
      return { nm_id: 100_000 + campaign * 100 + article, search: bid, recommendations: bid }
    })
  })
  const phrases = numbers.map((campaign) => [`${7000 + campaign}:0`, [`cheap ${campaign}`, "second hand"]] as const)
  return stateOf(numbers.map(advertOf), new Map(phrases))
}

const muchLater = DateTime.makeUnsafe("2100-01-01T00:00:00Z")

/** Everything that a rollback brings back: all but the next id to be given, once what is deleted is gone. */
export const comparable = (state: State) => {
  const { adverts, clusterBids, phrases } = withoutGone(state, muchLater)
  return {
    adverts: [...adverts].toSorted(([a], [b]) => a - b),
    clusterBids: [...clusterBids].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    phrases: [...phrases].toSorted(([a], [b]) => (a < b ? -1 : 1))
  }
}
