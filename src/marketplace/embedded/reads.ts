import { DateTime, Schema } from "effect"

import { grouped } from "../../internal/collections.ts"
import { PaymentType, status } from "../client/Campaign.ts"
import { pairKey } from "../client/ids.ts"
import { queriesOf } from "./demand.ts"
import { type Call, type Endpoint, Id, Ids, listOf, type On, Pairs, type Wire } from "./Endpoint.ts"
import { errorFormats, invalid, ok, plain, type Reply } from "./Reply.ts"
import { type Advert, floors, isWideOfManual, type State } from "./State.ts"

const never = "2100-01-01T00:00:00+03:00"

const toCampaign = (wire: Wire, goods: State["goods"], advert: Advert) => ({
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
  timestamps: {
    created: advert.created,
    updated: advert.created,
    started: null,
    deleted: advert.deleted === undefined ? never : DateTime.formatIso(advert.deleted)
  },
  nm_settings: advert.rows.map(({ nm_id, recommendations, search }) => ({
    nm_id,
    subject: { id: 1, name: goods.get(nm_id)?.subject ?? "goods" },
    bids_kopecks: { search, recommendations }
  }))
})

const CampaignFilter = Schema.Struct({
  ids: Schema.optionalKey(Ids),
  statuses: Schema.optionalKey(listOf(Schema.Literals(Object.values(status)))),
  payment_type: Schema.optionalKey(PaymentType)
})
type CampaignFilter = typeof CampaignFilter.Type

const adverts = (state: State, filter: CampaignFilter, { wire }: Call): Reply => {
  const { ids = [], payment_type: payment, statuses = [] } = filter
  if (ids.length > 50) return invalid("too many ids, max 50")
  const matches = [...state.adverts.values()].filter(
    (advert) =>
      (ids.length === 0 || ids.includes(advert.id)) &&
      (statuses.length === 0 || statuses.some((value) => value === advert.status)) &&
      (payment === undefined || payment === advert.payment_type)
  )
  return ok({ adverts: matches.map((advert) => toCampaign(wire, state.goods, advert)) })
}

const minusPhrases = (state: State, { items }: Pairs): Reply =>
  items.some(isWideOfManual(state))
    ? invalid("nm 0 not found or inactive")
    : ok({ items: items.map((pair) => ({ ...pair, norm_queries: state.phrases.get(pairKey(pair)) ?? [] })) })

const clusterBids = (state: State, { items }: Pairs, { wire }: Call): Reply => {
  const requestedPairs = new Set(items.map(pairKey))
  const bids = [...state.clusterBids].flatMap(([key, bid]) => {
    const [advert = "", nm = "", ...words] = key.split(":")
    if (!requestedPairs.has(`${advert}:${nm}`)) return []
    const at = { advert_id: Number(advert), nm_id: Number(nm), norm_query: words.join(":") }
    return [{ ...at, bid: wire === "spec" ? bid : Math.round(bid / 100), bid_kopecks: bid, currency: "RUB" }]
  })
  return ok({ bids })
}

const lowest = { combined: floors.combined, search: floors.search, recommendation: floors.recommendations }

/** Only here the placement is called `recommendation`. */
const BidsMin = Schema.Struct({
  advert_id: Schema.Int,
  nm_ids: Schema.Array(Schema.Int),
  payment_type: PaymentType,
  placement_types: Schema.Array(Schema.Literals(["combined", "search", "recommendation"]))
})
type BidsMin = typeof BidsMin.Type

const bidsMin = (state: State, { advert_id, nm_ids, placement_types }: BidsMin): Reply => {
  if (!state.adverts.has(advert_id)) return invalid(`advert ${advert_id} not found`)
  return ok({
    bids: nm_ids.map((nm_id) => ({
      nm_id,
      bids: placement_types.map((type) => ({ type, value: lowest[type], currency: "RUB" }))
    }))
  })
}

const Config = Schema.Struct({})

const config = (_state: State, _input: typeof Config.Type, { rules }: Call): Reply =>
  ok({
    currency: "RUB",
    currencyCode: 643,
    cpmStep: rules.steps.cpm,
    cpcStep: rules.steps.cpc,
    minTopUp: 100_000,
    minDailyLimit: 50_000
  })

const OneArticle = Schema.Struct({ nmId: Id, advertId: Id })
type OneArticle = typeof OneArticle.Type

/** The bids that reach certain places lie above the present one. */
const recommendations = (state: State, { advertId, nmId }: OneArticle): Reply => {
  const advert = state.adverts.get(advertId)
  const row = advert?.rows.find(({ nm_id }) => nm_id === nmId)
  if (advert === undefined || row === undefined) return plain("Некорректное значение параметра type")
  const bid = (percent: number) => ({ bidKopecks: Math.round((Math.max(row.search, 15_500) * percent) / 100) })
  if (advert.payment_type === "cpc") {
    const levels = [{ range1To2: bid(140), range3To10: bid(110), range11To34: bid(90) }]
    return ok({ advertId, nmId, paymentType: "cpc", levels })
  }
  return ok({
    advertId,
    nmId,
    paymentType: "cpm",
    base: { competitiveBid: bid(115), leadersBid: bid(150), top2: bid(180) },
    normQueries: queriesOf(state, nmId).map((normQuery) => ({
      normQuery,
      reachMin: bid(95),
      reachMedium: bid(115),
      reachMax: bid(150)
    }))
  })
}

const count = (state: State): Reply => {
  const groups = grouped(state.adverts.values(), ({ status }) => status)
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

/** The operations that read campaigns, phrases and bids. */
export const reads = (on: On): ReadonlyArray<Endpoint> => {
  const { campaigns } = errorFormats
  return [
    on("GET", "/api/advert/v2/adverts", campaigns, CampaignFilter, { read: adverts }),
    on("POST", "/adv/v0/normquery/get-minus", campaigns, Pairs, { read: minusPhrases }),
    on("POST", "/adv/v0/normquery/get-bids", campaigns, Pairs, { read: clusterBids }),
    on("POST", "/api/advert/v1/bids/min", campaigns, BidsMin, { read: bidsMin }),
    on("GET", "/api/advert/v1/config", campaigns, Config, { read: config }),
    on("GET", "/api/advert/v0/bids/recommendations", errorFormats.recommendations, OneArticle, {
      read: recommendations
    }),
    on("GET", "/adv/v1/promotion/count", campaigns, Schema.Struct({}), { read: count })
  ]
}
