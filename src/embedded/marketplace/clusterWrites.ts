import { Schema } from "effect"

import { Cluster, clusterKey } from "../../marketplace/Clusters.ts"
import { Kopecks } from "../../marketplace/money.ts"
import { done, invalid } from "./Reply.ts"
import { isChangeable } from "./rows.ts"
import type { Wire } from "./shapes.ts"
import type { State } from "./State.ts"
import { refuse, type Written } from "./Written.ts"

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
