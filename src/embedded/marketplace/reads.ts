import { Schema } from "effect"

import { BidsMinRequest } from "../../marketplace/Bids.ts"
import { Pair, pairKey } from "../../marketplace/ids.ts"
import { error, invalid, ok, type Reply } from "./Reply.ts"
import { floors } from "./rows.ts"
import type { Wire } from "./shapes.ts"
import type { Advert, State } from "./State.ts"

const numbers = (text: string | undefined): ReadonlyArray<number> =>
  (text ?? "")
    .split(",")
    .filter((part) => part !== "")
    .map(Number)

const toCampaign = (wire: Wire, advert: Advert) => ({
  id: advert.id,
  bid_type: advert.bid_type === "auto" && wire === "published" ? "unified" : advert.bid_type,
  status: advert.status,
  currency: "RUB",
  settings: {
    name: advert.name,
    payment_type: advert.payment_type,
    placements: { search: advert.search, recommendations: advert.recommendations }
  },
  restrictions: { can_change_nms: true },
  timestamps: { created: advert.created, updated: advert.created, started: null, deleted: "2100-01-01T00:00:00+03:00" },
  nm_settings: advert.rows.map(({ nm_id, recommendations, search }) => ({
    nm_id,
    subject: { id: 1, name: "goods" },
    bids_kopecks: { search, recommendations }
  }))
})

export const adverts = (state: State, query: Readonly<Record<string, string>>, wire: Wire): Reply => {
  const ids = numbers(query["ids"])
  const statuses = numbers(query["statuses"])
  const payment = query["payment_type"]
  if (ids.length > 50) return invalid("too many ids, max 50")
  if (payment !== undefined && payment !== "cpm" && payment !== "cpc") return invalid("invalid payment_type value")
  const found = [...state.adverts.values()].filter(
    (advert) =>
      (ids.length === 0 || ids.includes(advert.id)) &&
      (statuses.length === 0 || statuses.includes(advert.status)) &&
      (payment === undefined || payment === advert.payment_type)
  )
  return ok({ adverts: found.map((advert) => toCampaign(wire, advert)) })
}

const Items = Schema.Struct({ items: Schema.Array(Pair) })

export const minusPhrases = (state: State, body: unknown): Reply => {
  const { items } = Schema.decodeUnknownSync(Items)(body)
  return ok({ items: items.map((pair) => ({ ...pair, norm_queries: state.phrases.get(pairKey(pair)) ?? [] })) })
}

export const clusterBids = (state: State, body: unknown, wire: Wire): Reply => {
  const { items } = Schema.decodeUnknownSync(Items)(body)
  const asked = new Set(items.map(pairKey))
  const bids = [...state.clusterBids].flatMap(([key, bid]) => {
    const [advert = "", nm = "", ...words] = key.split(":")
    if (!asked.has(`${advert}:${nm}`)) return []
    const at = { advert_id: Number(advert), nm_id: Number(nm), norm_query: words.join(":") }
    return [{ ...at, bid: wire === "spec" ? bid : Math.round(bid / 100), bid_kopecks: bid, currency: "RUB" }]
  })
  return ok({ bids })
}

const MinRequest = Schema.Struct({ ...BidsMinRequest.fields, placement_types: Schema.Array(Schema.String) })

export const bidsMin = (state: State, body: unknown): Reply => {
  const { advert_id, nm_ids, placement_types } = Schema.decodeUnknownSync(MinRequest)(body)
  if (!state.adverts.has(advert_id)) return invalid(`advert ${advert_id} not found`)
  const lowest = (type: string) =>
    type === "combined" ? floors.combined : type === "search" ? floors.search : floors.recommendations
  return ok({
    bids: nm_ids.map((nm_id) => ({
      nm_id,
      bids: placement_types.map((type) => ({ type, value: lowest(type), currency: "RUB" }))
    }))
  })
}

export const budget = (state: State, query: Readonly<Record<string, string>>): Reply => {
  const advert = state.adverts.get(Number(query["id"]))
  return advert === undefined
    ? error("Invalid Advert: invalid advert")
    : ok({ cash: 0, netting: advert.budget, total: advert.budget, currency: "RUB" })
}

const BudgetsRequest = Schema.Struct({ advertIds: Schema.Array(Schema.Int) })

export const budgets = (state: State, body: unknown): Reply => {
  const { advertIds } = Schema.decodeUnknownSync(BudgetsRequest)(body)
  const known = advertIds.flatMap((id) => state.adverts.get(id) ?? [])
  return ok({ adverts: known.map(({ budget: total, id }) => ({ advertId: id, total, currency: "RUB" })) })
}

export const count = (state: State): Reply => {
  const groups = new Map<number, Array<Advert>>()
  for (const advert of state.adverts.values()) {
    groups.set(advert.status, [...(groups.get(advert.status) ?? []), advert])
  }
  return ok({
    all: state.adverts.size,
    adverts: [...groups].map(([value, some]) => ({
      type: 9,
      status: value,
      count: some.length,
      advert_list: some.map(({ created, id }) => ({ advertId: id, changeTime: created }))
    }))
  })
}
