import { type Cluster, clusterKey } from "../../marketplace/Clusters.ts"
import { Kopecks } from "../../marketplace/money.ts"
import type { ClusterBids, Clusters } from "./bodies.ts"
import type { Call } from "./Endpoint.ts"
import { done, forbidden, invalid, type Reply } from "./Reply.ts"
import { isChangeable } from "./rows.ts"
import type { State } from "./State.ts"
import { refuse, type Written } from "./Written.ts"

/** Search clusters have bids of their own only where bids are manual and views are paid. */
const refusalFor = (state: State, { advert_id, nm_id }: Cluster): Reply | undefined => {
  const advert = state.adverts.get(advert_id)
  if (advert === undefined) return invalid(`advert ${advert_id} not found`)
  if (advert.bid_type !== "manual" || advert.payment_type !== "cpm") return forbidden("norm_query API not available")
  if (!isChangeable(advert)) return invalid(`wrong advert status: ${advert.status}`)
  return advert.rows.some((row) => row.nm_id === nm_id) ? undefined : invalid(`nm ${nm_id} not found or inactive`)
}

const firstRefusal = (state: State, clusters: ReadonlyArray<Cluster>): Reply | undefined =>
  clusters.map((cluster) => refusalFor(state, cluster)).find((refusal) => refusal !== undefined)

export const setClusterBids = (state: State, { bids }: ClusterBids, { wire }: Call): Written => {
  const refusal = firstRefusal(state, bids)
  if (refusal !== undefined) return refuse(state, refusal)
  const set = bids.map(({ bid, ...cluster }) => {
    const kopecks = Kopecks.make(wire === "spec" ? bid : bid * 100)
    return [clusterKey(cluster), kopecks] as const
  })
  return { state: { ...state, clusterBids: new Map([...state.clusterBids, ...set]) }, reply: done }
}

export const dropClusterBids = (state: State, { bids }: Clusters): Written => {
  const refusal = firstRefusal(state, bids)
  if (refusal !== undefined) return refuse(state, refusal)
  const gone = new Set(bids.map(clusterKey))
  const clusterBids = new Map([...state.clusterBids].filter(([key]) => !gone.has(key)))
  return { state: { ...state, clusterBids }, reply: done }
}
