import { DateTime, Schema, SchemaGetter } from "effect"

import { NewCampaign, Placement, PlacementChange, status, UpdateProducts } from "../client/Campaign.ts"
import { pairKey } from "../client/ids.ts"
import { Kopecks } from "../client/money.ts"
import { inStatus } from "./budgets.ts"
import { onStep } from "./clusters.ts"
import { type Call, type Endpoint, type On, OneCampaign, type Wire } from "./Endpoint.ts"
import {
  done,
  doneEmpty,
  error,
  errorFormats,
  invalid,
  invalidNumber,
  ok,
  plain,
  refuse,
  type Written
} from "./Reply.ts"
import { type Advert, floors, isChangeable, lowestRow, placementsOf, type State, withAdvert, withBid } from "./State.ts"

const create = (state: State, campaign: NewCampaign, { now }: Call): Written => {
  const { bid_type, name, nms = [], payment_type = "cpm", placement_types = ["search"] } = campaign
  const advert: Omit<Advert, "rows"> = {
    id: state.nextId,
    name,
    bid_type: bid_type === "unified" ? "auto" : "manual",
    status: status.ready,
    payment_type,
    search: bid_type === "unified" || placement_types.includes("search"),
    recommendations: bid_type === "unified" || placement_types.includes("recommendations"),
    created: DateTime.formatIso(now),
    budget: 0
  }
  const rows = nms.map((nm_id) => lowestRow(advert, nm_id))
  return {
    state: { ...withAdvert(state, { ...advert, rows }), nextId: state.nextId + 1 },
    reply: ok(advert.id)
  }
}

const moveTo = (state: State, { id }: OneCampaign, { now }: Call, from: ReadonlyArray<number>, to: number): Written => {
  const advert = state.adverts.get(id)
  if (advert === undefined) return refuse(state, error("AdvertChangeStatus: Not Found: advert not found"))
  if (!from.includes(advert.status)) return refuse(state, { status: 422, text: "Статус кампании не изменен" })
  if (to === status.active && advert.budget <= 0) {
    return refuse(state, error("AdvertChangeStatus: Low Budget: not enough budget"))
  }
  return { state: withAdvert(state, inStatus(state, advert, to, now)), reply: done }
}

const start = (state: State, query: OneCampaign, call: Call): Written =>
  moveTo(state, query, call, [status.ready, status.paused], status.active)

const pause = (state: State, query: OneCampaign, call: Call): Written =>
  moveTo(state, query, call, [status.active], status.paused)

const end = (state: State, query: OneCampaign, call: Call): Written =>
  moveTo(state, query, call, [status.active, status.paused], status.finished)

const NewName = Schema.Struct({ advertId: Schema.Int, name: Schema.String })
type NewName = typeof NewName.Type

const rename = (state: State, { advertId, name }: NewName): Written => {
  const advert = state.adverts.get(advertId)
  if (advert === undefined) return refuse(state, plain(errorFormats.names.parameter()))
  if (name.trim() === "" || name.length > 100) return refuse(state, plain("Некорректное название"))
  return { state: withAdvert(state, { ...advert, name }), reply: done }
}

const NewPlacements = Schema.Struct({ placements: Schema.Array(PlacementChange) })
type NewPlacements = typeof NewPlacements.Type

const setPlacements = (before: State, { placements }: NewPlacements): Written => {
  let state = before
  for (const { advert_id, placements: places } of placements) {
    const advert = state.adverts.get(advert_id)
    if (advert === undefined) return refuse(before, invalid(`advert ${advert_id} not found`))
    if (advert.payment_type !== "cpm") {
      const type = advert.payment_type
      return refuse(before, invalid(`advert ${advert_id} has payment type ${type}, placements cannot be changed`))
    }
    if (advert.bid_type !== "manual") return refuse(before, invalid(`wrong bid type: ${advert.bid_type}`))
    if (!isChangeable(advert)) return refuse(before, invalid(`wrong advert status: ${advert.status}`))
    state = withAdvert(state, { ...advert, ...places })
  }
  return { state, reply: doneEmpty }
}

const remove = (state: State, { id }: OneCampaign, { now }: Call): Written => {
  const advert = state.adverts.get(id)
  if (advert?.status !== status.ready) return refuse(state, error(errorFormats.deletion.parameter()))
  return { state: withAdvert(state, { ...advert, status: status.deleting, deleted: now }), reply: done }
}

const repeated = (ids: ReadonlyArray<number>): number | undefined => ids.find((id, index) => ids.indexOf(id) !== index)

/** The validator's message about the first number that is not positive. */
const numberProblem = ({ bids: all }: Bids): string | undefined => {
  const numbers = all.flatMap(({ advert_id, nm_bids }, campaign) => [
    { at: `Bids[${campaign}]`, field: "AdvertId", value: advert_id },
    ...nm_bids.map(({ bid_kopecks }, article) => ({
      at: `Bids[${campaign}].NmBids[${article}]`,
      field: "BidKopecks",
      value: bid_kopecks
    }))
  ])
  const wrong = numbers.find(({ value }) => value <= 0)
  if (wrong === undefined) return undefined
  const { at, field } = wrong
  return `Key: 'V1PatchAdvertsBidsJSONBody.${at}.${field}' Error:Field validation for '${field}' failed on the 'gt' tag`
}

/** The bids of articles; their numbers are validated by a separate rule. */
const Bids = Schema.Struct({
  bids: Schema.Array(
    Schema.Struct({
      advert_id: Schema.Int,
      nm_bids: Schema.Array(Schema.Struct({ nm_id: Schema.Int, bid_kopecks: Schema.Int, placement: Placement }))
    })
  )
})
type Bids = typeof Bids.Type

const setBids = (before: State, request: Bids, call: Call): Written => {
  const wrong = numberProblem(request)
  if (wrong !== undefined) return refuse(before, invalidNumber(wrong))
  const twice = repeated(request.bids.map(({ advert_id }) => advert_id))
  if (twice !== undefined) return refuse(before, invalid(`advert ${twice} is not unique`))
  let state = before
  for (const { advert_id, nm_bids } of request.bids) {
    const advert = state.adverts.get(advert_id)
    if (advert === undefined) return refuse(before, invalid(`advert ${advert_id} not found`))
    if (!isChangeable(advert)) return refuse(before, invalid(`wrong advert status: ${advert.status}`))
    const rows = new Map(advert.rows.map((row) => [row.nm_id, row]))
    for (const { bid_kopecks, nm_id, placement } of nm_bids) {
      const row = rows.get(nm_id)
      if (row === undefined) return refuse(before, invalid(`nm ${nm_id} not found or inactive`))
      if (!placementsOf(advert).includes(placement)) return refuse(before, invalid(`wrong placement: ${placement}`))
      if (bid_kopecks < floors[placement]) {
        return refuse(before, invalid(`wrong bid value: ${bid_kopecks}; min: ${floors[placement]}`))
      }
      const bid = onStep(bid_kopecks, advert, call)
      if (bid === undefined) return refuse(before, invalid(`bid ${bid_kopecks} is not a multiple of the step`))
      rows.set(nm_id, withBid(row, placement, Kopecks.make(bid)))
    }
    state = withAdvert(state, { ...advert, rows: [...rows.values()] })
  }
  return { state, reply: ok({ ...request, currency: "RUB" }) }
}

/** Entries by article, without those of one article. */
const without = <A>(kept: ReadonlyMap<string, A>, pair: string): ReadonlyMap<string, A> =>
  new Map([...kept].filter(([key]) => key !== pair && !key.startsWith(`${pair}:`)))

/** The same change of articles on the published wire. */
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
}).pipe(
  Schema.decodeTo(UpdateProducts, {
    decode: SchemaGetter.transform(({ nms }) => ({
      campaigns: nms.map(({ advert_id, nms: { add = [], delete: gone = [] } }) => ({
        advert_id,
        add_nms: add,
        delete_nms: gone
      }))
    })),
    encode: SchemaGetter.transform(({ campaigns }) => ({
      nms: campaigns.map(({ add_nms = [], advert_id, delete_nms = [] }) => ({
        advert_id,
        nms: { add: add_nms, delete: delete_nms }
      }))
    }))
  })
)

const changeArticles = (before: State, { campaigns }: typeof UpdateProducts.Type): Written => {
  let state = before
  for (const { add_nms = [], advert_id, delete_nms = [] } of campaigns) {
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
  const nms = campaigns.map(({ add_nms = [], advert_id, delete_nms = [] }) => ({
    advert_id,
    nms: { added: add_nms, deleted: delete_nms }
  }))
  return { state, reply: ok({ nms }) }
}

/** The operations that change campaigns and their articles. */
export const writes = (on: On, wire: Wire): ReadonlyArray<Endpoint> => {
  const { campaigns, creation, deletion, moves, names } = errorFormats
  const products = wire === "spec" ? UpdateProducts : PublishedProducts
  return [
    on("PATCH", "/api/advert/v1/bids", campaigns, Bids, { write: setBids }),
    on("PATCH", "/adv/v0/auction/nms", campaigns, products, { write: changeArticles }),
    on("POST", "/adv/v2/seacat/save-ad", creation, NewCampaign, { write: create }),
    on("GET", "/adv/v0/start", moves, OneCampaign, { write: start }),
    on("GET", "/adv/v0/pause", moves, OneCampaign, { write: pause }),
    on("GET", "/adv/v0/stop", moves, OneCampaign, { write: end }),
    on("POST", "/adv/v0/rename", names, NewName, { write: rename }),
    on("PUT", "/adv/v0/auction/placements", campaigns, NewPlacements, { write: setPlacements }),
    on("GET", "/adv/v0/delete", deletion, OneCampaign, { write: remove })
  ]
}
