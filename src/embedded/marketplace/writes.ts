import { Schema } from "effect"

import { UpdateBids } from "../../marketplace/Bids.ts"
import { type Placement, status } from "../../marketplace/Campaign.ts"
import { Cluster, clusterKey } from "../../marketplace/Clusters.ts"
import { pairKey } from "../../marketplace/ids.ts"
import { MinusPhrases } from "../../marketplace/MinusPhrases.ts"
import { Kopecks } from "../../marketplace/money.ts"
import { NewCampaign } from "../../marketplace/NewCampaign.ts"
import { UpdateProducts } from "../../marketplace/Products.ts"
import { floors, isChangeable } from "./reads.ts"
import { done, error, invalid, ok, type Reply } from "./Reply.ts"
import type { Wire } from "./shapes.ts"
import { type Advert, type Row, type State, withAdvert } from "./State.ts"

/** What a write leads to; a refused one leaves everything as it was. */
export interface Written {
  readonly state: State
  readonly reply: Reply
}

const refuse = (state: State, reply: Reply): Written => ({ state, reply })

const placementsOf = (advert: Advert): ReadonlyArray<Placement> => {
  if (advert.bid_type === "auto") return ["combined"]
  return [
    ...(advert.search ? (["search"] as const) : []),
    ...(advert.recommendations ? (["recommendations"] as const) : [])
  ]
}

const withBid = (row: Row, placement: Placement, bid: Kopecks): Row =>
  placement === "combined" ? { ...row, search: bid, recommendations: bid } : { ...row, [placement]: bid }

const repeated = (ids: ReadonlyArray<number>): number | undefined => ids.find((id, index) => ids.indexOf(id) !== index)

export const bids = (before: State, body: unknown): Written => {
  const request = Schema.decodeUnknownSync(UpdateBids)(body)
  const twice = repeated(request.bids.map(({ advert_id }) => advert_id))
  if (twice !== undefined) return refuse(before, invalid(`advert ${twice} is not unique`))
  if (request.bids.length > 50) return refuse(before, invalid("too many adverts, max 50"))
  let state = before
  for (const { advert_id, nm_bids } of request.bids) {
    const advert = state.adverts.get(advert_id)
    if (advert === undefined) return refuse(before, invalid(`advert ${advert_id} not found`))
    if (!isChangeable(advert)) return refuse(before, invalid(`wrong advert status: ${advert.status}`))
    if (nm_bids.length > 50) return refuse(before, invalid("too many nm_bids, max 50"))
    const rows = new Map(advert.rows.map((row) => [row.nm_id, row]))
    for (const { bid_kopecks, nm_id, placement } of nm_bids) {
      const row = rows.get(nm_id)
      if (row === undefined) return refuse(before, invalid(`nm ${nm_id} not found or inactive`))
      if (!placementsOf(advert).includes(placement)) return refuse(before, invalid(`wrong placement: ${placement}`))
      if (bid_kopecks < floors[placement]) {
        return refuse(before, invalid(`wrong bid value: ${bid_kopecks}; min: ${floors[placement]}`))
      }
      rows.set(nm_id, withBid(row, placement, bid_kopecks))
    }
    state = withAdvert(state, { ...advert, rows: [...rows.values()] })
  }
  return { state, reply: ok({ ...request, currency: "RUB" }) }
}

const PublishedProducts = Schema.Struct({
  nms: Schema.Array(
    Schema.Struct({
      advert_id: Schema.Int,
      nms: Schema.Struct({
        add: Schema.optionalKey(Schema.Array(Schema.Int)),
        delete: Schema.optionalKey(Schema.Array(Schema.Int))
      })
    })
  )
})

const productChanges = (wire: Wire, body: unknown) =>
  wire === "spec"
    ? Schema.decodeUnknownSync(UpdateProducts)(body).campaigns
    : Schema.decodeUnknownSync(PublishedProducts)(body).nms.map(({ advert_id, nms }) => ({
        advert_id,
        add_nms: nms.add ?? [],
        delete_nms: nms.delete ?? []
      }))

const lowestRow = (advert: Omit<Advert, "rows">, nm_id: number): Row => {
  const search = advert.bid_type === "auto" ? floors.combined : floors.search
  return {
    nm_id,
    search: advert.search ? search : Kopecks.make(0),
    recommendations: advert.recommendations ? search : Kopecks.make(0)
  }
}

/** Everything that is kept by article goes with the article. */
const without = <A>(kept: ReadonlyMap<string, A>, pair: string): ReadonlyMap<string, A> =>
  new Map([...kept].filter(([key]) => key !== pair && !key.startsWith(`${pair}:`)))

export const products = (before: State, body: unknown, wire: Wire): Written => {
  const changes = productChanges(wire, body)
  if (changes.length > 20) return refuse(before, invalid("too many adverts, max 20"))
  let state = before
  for (const { add_nms = [], advert_id, delete_nms = [] } of changes) {
    const advert = state.adverts.get(advert_id)
    if (advert === undefined) return refuse(before, invalid(`advert ${advert_id} not found`))
    if (!isChangeable(advert)) return refuse(before, invalid(`wrong advert status: ${advert.status}`))
    if (add_nms.length + delete_nms.length > 50) return refuse(before, invalid("too many nomenclatures, max 50"))
    const both = add_nms.find((nm) => delete_nms.includes(nm))
    if (both !== undefined) {
      return refuse(before, invalid(`nomenclature ${both} cannot be both added and deleted for advert ${advert_id}`))
    }
    const rows = new Map(advert.rows.map((row) => [row.nm_id, row]))
    for (const nm_id of delete_nms) {
      rows.delete(nm_id)
      const pair = pairKey({ advert_id, nm_id })
      state = { ...state, phrases: without(state.phrases, pair), clusterBids: without(state.clusterBids, pair) }
    }
    for (const nm_id of add_nms) rows.set(nm_id, rows.get(nm_id) ?? lowestRow(advert, nm_id))
    state = withAdvert(state, { ...advert, rows: [...rows.values()] })
  }
  const nms = changes.map(({ add_nms = [], advert_id, delete_nms = [] }) => ({
    advert_id,
    nms: { added: add_nms, deleted: delete_nms }
  }))
  return { state, reply: ok({ nms }) }
}

export const minusPhrases = (state: State, body: unknown): Written => {
  const { advert_id, nm_id, norm_queries } = Schema.decodeUnknownSync(MinusPhrases)(body)
  const advert = state.adverts.get(advert_id)
  const known = advert?.rows.some((row) => row.nm_id === nm_id) ?? false
  if (advert === undefined) return refuse(state, invalid(`advert ${advert_id} not found`))
  if (!known) return refuse(state, invalid(`nm ${nm_id} not found or inactive`))
  if (!isChangeable(advert)) return refuse(state, invalid(`wrong advert status: ${advert.status}`))
  if (norm_queries.length > 1000) return refuse(state, invalid("too many norm_queries, max 1000"))
  const phrases = new Map(state.phrases)
  if (norm_queries.length === 0) phrases.delete(pairKey({ advert_id, nm_id }))
  else phrases.set(pairKey({ advert_id, nm_id }), norm_queries)
  return { state: { ...state, phrases }, reply: done }
}

const ClusterRequest = Schema.Struct({ bids: Schema.Array(Schema.Struct({ ...Cluster.fields, bid: Schema.Int })) })

const clusterProblem = (state: State, { advert_id, nm_id }: Cluster): string | undefined => {
  const advert = state.adverts.get(advert_id)
  if (advert === undefined) return `advert ${advert_id} not found`
  if (advert.bid_type !== "manual" || advert.payment_type !== "cpm") return "norm_query API not available"
  if (!isChangeable(advert)) return `wrong advert status: ${advert.status}`
  return advert.rows.some((row) => row.nm_id === nm_id) ? undefined : `nm ${nm_id} not found or inactive`
}

export const setClusterBids = (state: State, body: unknown, wire: Wire): Written => {
  const request = Schema.decodeUnknownSync(ClusterRequest)(body)
  if (request.bids.length > 100) return refuse(state, invalid("too many bids, max 100"))
  const clusterBids = new Map(state.clusterBids)
  for (const { bid, ...cluster } of request.bids) {
    const problem = clusterProblem(state, cluster)
    if (problem !== undefined) return refuse(state, invalid(problem))
    clusterBids.set(clusterKey(cluster), Kopecks.make(wire === "spec" ? bid : bid * 100))
  }
  return { state: { ...state, clusterBids }, reply: done }
}

const DropRequest = Schema.Struct({ bids: Schema.Array(Cluster) })

export const dropClusterBids = (state: State, body: unknown): Written => {
  const request = Schema.decodeUnknownSync(DropRequest)(body)
  const gone = new Set(request.bids.map(clusterKey))
  return {
    state: { ...state, clusterBids: new Map([...state.clusterBids].filter(([key]) => !gone.has(key))) },
    reply: done
  }
}

export const create = (state: State, body: unknown, now: string): Written => {
  const {
    bid_type,
    name,
    nms = [],
    payment_type = "cpm",
    placement_types = ["search"]
  } = Schema.decodeUnknownSync(NewCampaign)(body)
  if (nms.length > 50) return refuse(state, { status: 400, json: "too many nms, max 50" })
  const advert: Omit<Advert, "rows"> = {
    id: state.nextId,
    name,
    bid_type: bid_type === "unified" ? "auto" : "manual",
    status: status.ready,
    payment_type,
    search: bid_type === "unified" || placement_types.includes("search"),
    recommendations: bid_type === "unified" || placement_types.includes("recommendations"),
    created: now,
    budget: 0
  }
  const rows = nms.map((nm_id) => lowestRow(advert, nm_id))
  return {
    state: { ...withAdvert(state, { ...advert, rows }), nextId: state.nextId + 1 },
    reply: ok(advert.id)
  }
}

/** Start and pause: from which status they lead where. */
export const moves = {
  start: { from: [status.ready, status.paused], to: status.active },
  pause: { from: [status.active], to: status.paused }
} as const

export const move = (state: State, query: Readonly<Record<string, string>>, kind: keyof typeof moves): Written => {
  const advert = state.adverts.get(Number(query["id"]))
  if (advert === undefined) return refuse(state, error("AdvertChangeStatus: Not Found: advert not found"))
  const { from, to } = moves[kind]
  const allowed: ReadonlyArray<number> = from
  if (!allowed.includes(advert.status)) return refuse(state, { status: 422, text: "status not changed" })
  if (kind === "start" && advert.budget <= 0) {
    return refuse(state, error("AdvertChangeStatus: Low Budget: not enough budget"))
  }
  return { state: withAdvert(state, { ...advert, status: to }), reply: done }
}

export const remove = (state: State, query: Readonly<Record<string, string>>): Written => {
  const id = Number(query["id"])
  const advert = state.adverts.get(id)
  if (advert === undefined || advert.status !== status.ready) return refuse(state, error("invalid advert id"))
  return {
    state: {
      ...state,
      adverts: new Map([...state.adverts].filter(([key]) => key !== id)),
      phrases: new Map([...state.phrases].filter(([key]) => !key.startsWith(`${id}:`))),
      clusterBids: new Map([...state.clusterBids].filter(([key]) => !key.startsWith(`${id}:`)))
    },
    reply: done
  }
}
