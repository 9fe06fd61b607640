import { DateTime } from "effect"

import { status } from "../../src/marketplace/client/Campaign.ts"
import { Kopecks } from "../../src/marketplace/client/money.ts"
import { type Advert, type State, stateOf, withoutGone } from "../../src/marketplace/embedded/State.ts"

const kopecks = (amount: number) => Kopecks.make(amount)

const old = (id: number, name: string, bid: number, nms: ReadonlyArray<number>): Advert => ({
  id,
  name,
  bid_type: "auto",
  status: status.active,
  payment_type: "cpm",
  search: true,
  recommendations: true,
  created: "2025-06-02T09:30:00+03:00",
  budget: 5000,
  rows: nms.map((nm_id) => ({ nm_id, search: kopecks(bid), recommendations: kopecks(bid) }))
})

/** A small account halfway through the migration: two campaigns with one bid, a manual one that runs and one that is paused. */
export const smallAccount: State = stateOf(
  [
    old(1001, "Mugs", 25_000, [500101, 500102, 500103]),
    old(1002, "Desk lamps", 31_550, [500201, 500202]),
    {
      ...old(1003, "Notebooks, search", 28_000, [500301, 500302]),
      bid_type: "manual",
      recommendations: false,
      rows: [
        { nm_id: 500301, search: kopecks(28_000), recommendations: kopecks(0) },
        { nm_id: 500302, search: kopecks(30_500), recommendations: kopecks(0) }
      ]
    },
    { ...old(1004, "Winter socks", 26_000, [500401]), bid_type: "manual", status: status.paused }
  ],
  new Map([
    ["1001:0", ["paper cup", "sippy cup", "glass"]],
    ["1002:0", ["floor lamp", "bulb"]],
    ["1003:500301", ["school diary"]]
  ]),
  new Map([
    ["1003:500302:squared notebook", kopecks(34_000)],
    ["1004:500401:warm socks", kopecks(29_000)]
  ])
)

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
