import { status } from "../client/Campaign.ts"
import { Kopecks } from "../client/money.ts"
import { type Advert, type State, stateOf } from "./State.ts"

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
export const seed: State = stateOf(
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
