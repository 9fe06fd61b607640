import { pairKey } from "../../marketplace/ids.ts"
import type { MinusPhrases } from "../../marketplace/MinusPhrases.ts"
import { Kopecks } from "../../marketplace/money.ts"
import type { UpdateProducts } from "../../marketplace/Products.ts"
import type { Bids } from "./bodies.ts"
import { done, invalid, invalidNumber, ok } from "./Reply.ts"
import { floors, isChangeable, lowestRow, placementsOf, withBid } from "./rows.ts"
import { type State, withAdvert } from "./State.ts"
import { refuse, type Written } from "./Written.ts"

const repeated = (ids: ReadonlyArray<number>): number | undefined => ids.find((id, index) => ids.indexOf(id) !== index)

/** The first number that must be more than 0 and is not, in the words of the marketplace's validator. */
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

export const bids = (before: State, request: Bids): Written => {
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
      rows.set(nm_id, withBid(row, placement, Kopecks.make(bid_kopecks)))
    }
    state = withAdvert(state, { ...advert, rows: [...rows.values()] })
  }
  return { state, reply: ok({ ...request, currency: "RUB" }) }
}

/** Everything that is kept by article goes with the article. */
const without = <A>(kept: ReadonlyMap<string, A>, pair: string): ReadonlyMap<string, A> =>
  new Map([...kept].filter(([key]) => key !== pair && !key.startsWith(`${pair}:`)))

export const products = (before: State, { campaigns }: typeof UpdateProducts.Type): Written => {
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

export const minusPhrases = (state: State, { advert_id, nm_id, norm_queries }: MinusPhrases): Written => {
  const advert = state.adverts.get(advert_id)
  const known = advert?.rows.some((row) => row.nm_id === nm_id) ?? false
  if (advert === undefined) return refuse(state, invalid(`advert ${advert_id} not found`))
  if (!known) return refuse(state, invalid(`nm ${nm_id} not found or inactive`))
  if (!isChangeable(advert)) return refuse(state, invalid(`wrong advert status: ${advert.status}`))
  const phrases = new Map(state.phrases)
  if (norm_queries.length === 0) phrases.delete(pairKey({ advert_id, nm_id }))
  else phrases.set(pairKey({ advert_id, nm_id }), norm_queries)
  return { state: { ...state, phrases }, reply: done }
}
