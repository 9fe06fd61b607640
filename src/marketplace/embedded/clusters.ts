import { Predicate, Schema } from "effect"

import { Cluster, clusterKey, MinusPhrases } from "../client/Clusters.ts"
import { pairKey } from "../client/ids.ts"
import { Kopecks } from "../client/money.ts"
import type { Call, Endpoint, On } from "./Endpoint.ts"
import { done, errorFormats, forbidden, invalid, ok, refuse, type Reply, type Written } from "./Reply.ts"
import { type Advert, isChangeable, type State } from "./State.ts"

/** A bid as the marketplace takes it; undefined where it refuses one between two steps. */
export const onStep = (
  bid: number,
  { payment_type }: Advert,
  { rules: { offStep, steps } }: Call
): number | undefined => {
  const step = steps[payment_type]
  if (offStep === "kept" || bid % step === 0) return bid
  return offStep === "refused" ? undefined : Math.max(step, Math.round(bid / step) * step)
}

const setMinusPhrases = (state: State, { advert_id, nm_id, norm_queries }: MinusPhrases): Written => {
  const advert = state.adverts.get(advert_id)
  const hasArticle = advert?.rows.some((row) => row.nm_id === nm_id) ?? false
  if (advert === undefined) return refuse(state, invalid(`advert ${advert_id} not found`))
  if (!hasArticle) return refuse(state, invalid(`nm ${nm_id} not found or inactive`))
  if (!isChangeable(advert)) return refuse(state, invalid(`wrong advert status: ${advert.status}`))
  const phrases = new Map(state.phrases)
  if (norm_queries.length === 0) phrases.delete(pairKey({ advert_id, nm_id }))
  else phrases.set(pairKey({ advert_id, nm_id }), norm_queries)
  return { state: { ...state, phrases }, reply: done }
}

/** Search clusters have their own bids only with manual bids and pay per view. */
const refusalFor = (state: State, { advert_id, nm_id }: Cluster): Reply | undefined => {
  const advert = state.adverts.get(advert_id)
  if (advert === undefined) return invalid(`advert ${advert_id} not found`)
  if (advert.bid_type !== "manual" || advert.payment_type !== "cpm") return forbidden("norm_query API not available")
  if (!isChangeable(advert)) return invalid(`wrong advert status: ${advert.status}`)
  return advert.rows.some((row) => row.nm_id === nm_id) ? undefined : invalid(`nm ${nm_id} not found or inactive`)
}

const firstRefusal = (state: State, clusters: ReadonlyArray<Cluster>): Reply | undefined =>
  clusters.map((cluster) => refusalFor(state, cluster)).find((refusal) => refusal !== undefined)

/** In kopecks or rubles, depending on the wire; as rubles it must still be an exact number of kopecks. */
const Bid = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Math.floor(Number.MAX_SAFE_INTEGER / 100) }))

const ClusterBids = Schema.Struct({ bids: Schema.Array(Schema.Struct({ ...Cluster.fields, bid: Bid })) })
type ClusterBids = typeof ClusterBids.Type

const setClusterBids = (state: State, { bids }: ClusterBids, { wire }: Call): Written => {
  const refusal = firstRefusal(state, bids)
  if (refusal !== undefined) return refuse(state, refusal)
  const set = bids.map(({ bid, ...cluster }) => {
    const kopecks = Kopecks.make(wire === "spec" ? bid : bid * 100)
    return [clusterKey(cluster), kopecks] as const
  })
  return { state: { ...state, clusterBids: new Map([...state.clusterBids, ...set]) }, reply: done }
}

const MinorBids = Schema.Struct({
  bids: Schema.Array(
    Schema.Struct({ advertId: Schema.Int, nmId: Schema.Int, normQuery: Schema.NonEmptyString, bidMinorUnits: Bid })
  )
})
type MinorBids = typeof MinorBids.Type

/** Each bid is taken or refused by itself. */
const setMinorBids = (before: State, { bids }: MinorBids, call: Call): Written => {
  const clusterBids = new Map(before.clusterBids)
  const success: Array<object> = []
  const failed: Array<object> = []
  for (const { bidMinorUnits, ...row } of bids) {
    const cluster = { advert_id: row.advertId, nm_id: row.nmId, norm_query: row.normQuery }
    const advert = before.adverts.get(row.advertId)
    const bid = advert === undefined ? undefined : onStep(bidMinorUnits, advert, call)
    const reason =
      refusalReason(before, cluster) ?? (bid === undefined ? "bid is not a multiple of the step" : undefined)
    if (reason !== undefined || bid === undefined) failed.push({ ...row, reason })
    else {
      clusterBids.set(clusterKey(cluster), Kopecks.make(bid))
      success.push({ ...row, currency: "RUB" })
    }
  }
  return { state: { ...before, clusterBids }, reply: ok({ success, failed }) }
}

const refusalReason = (state: State, cluster: Cluster): string | undefined => {
  const refusal = refusalFor(state, cluster)
  return refusal !== undefined && "json" in refusal && Predicate.hasProperty(refusal.json, "detail")
    ? String(refusal.json.detail)
    : undefined
}

const Clusters = Schema.Struct({ bids: Schema.Array(Cluster) })
type Clusters = typeof Clusters.Type

const dropClusterBids = (state: State, { bids }: Clusters): Written => {
  const refusal = firstRefusal(state, bids)
  if (refusal !== undefined) return refuse(state, refusal)
  const gone = new Set(bids.map(clusterKey))
  const clusterBids = new Map([...state.clusterBids].filter(([key]) => !gone.has(key)))
  return { state: { ...state, clusterBids }, reply: done }
}

/** The operations that change phrases and bids of search clusters. */
export const clusters = (on: On): ReadonlyArray<Endpoint> => {
  const { campaigns } = errorFormats
  return [
    on("POST", "/adv/v0/normquery/set-minus", campaigns, MinusPhrases, { write: setMinusPhrases }),
    on("POST", "/adv/v0/normquery/bids", campaigns, ClusterBids, { write: setClusterBids }),
    on("POST", "/api/advert/v1/normquery/bids", campaigns, MinorBids, { write: setMinorBids }),
    on("DELETE", "/adv/v0/normquery/bids", campaigns, Clusters, { write: dropClusterBids })
  ]
}
