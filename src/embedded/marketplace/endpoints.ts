import * as Articles from "./articleWrites.ts"
import * as Campaigns from "./campaignWrites.ts"
import * as Clusters from "./clusterWrites.ts"
import * as Reads from "./reads.ts"
import type { Reply } from "./Reply.ts"
import type { Wire } from "./shapes.ts"
import type { State } from "./State.ts"
import * as Statistics from "./statistics.ts"
import type { Written } from "./Written.ts"

/** A call that has passed key, limit and shape. */
export interface Call {
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly wire: Wire
  readonly now: string
}

/** One operation: it reads the account, or leads to another one. */
export type Endpoint = { readonly method: "DELETE" | "GET" | "PATCH" | "POST"; readonly path: `/${string}` } & (
  | { readonly read: (state: State, call: Call) => Reply }
  | { readonly write: (state: State, call: Call) => Written }
)

export const endpoints: ReadonlyArray<Endpoint> = [
  {
    method: "GET",
    path: "/api/advert/v2/adverts",
    read: (state, { query, wire }) => Reads.adverts(state, query, wire)
  },
  { method: "PATCH", path: "/api/advert/v1/bids", write: (state, { body }) => Articles.bids(state, body) },
  {
    method: "PATCH",
    path: "/adv/v0/auction/nms",
    write: (state, { body, wire }) => Articles.products(state, body, wire)
  },
  { method: "POST", path: "/adv/v0/normquery/get-minus", read: (state, { body }) => Reads.minusPhrases(state, body) },
  {
    method: "POST",
    path: "/adv/v0/normquery/set-minus",
    write: (state, { body }) => Articles.minusPhrases(state, body)
  },
  { method: "POST", path: "/adv/v0/normquery/stats", read: (state, { body }) => Statistics.clusters(state, body) },
  {
    method: "POST",
    path: "/adv/v0/normquery/bids",
    write: (state, { body, wire }) => Clusters.setClusterBids(state, body, wire)
  },
  { method: "GET", path: "/adv/v3/fullstats", read: (state, { query }) => Statistics.fullstats(state, query) },
  { method: "GET", path: "/adv/v0/stats/keywords", read: (state, { query }) => Statistics.keywords(state, query) },
  { method: "POST", path: "/api/advert/v1/bids/min", read: (state, { body }) => Reads.bidsMin(state, body) },
  {
    method: "POST",
    path: "/adv/v2/seacat/save-ad",
    write: (state, { body, now }) => Campaigns.create(state, body, now)
  },
  {
    method: "POST",
    path: "/adv/v0/normquery/get-bids",
    read: (state, { body, wire }) => Reads.clusterBids(state, body, wire)
  },
  {
    method: "DELETE",
    path: "/adv/v0/normquery/bids",
    write: (state, { body }) => Clusters.dropClusterBids(state, body)
  },
  { method: "GET", path: "/adv/v0/start", write: (state, { query }) => Campaigns.move(state, query, "start") },
  { method: "GET", path: "/adv/v0/pause", write: (state, { query }) => Campaigns.move(state, query, "pause") },
  { method: "GET", path: "/adv/v0/delete", write: (state, { query }) => Campaigns.remove(state, query) },
  { method: "POST", path: "/api/advert/v2/budget", read: (state, { body }) => Reads.budgets(state, body) },
  { method: "GET", path: "/adv/v1/budget", read: (state, { query }) => Reads.budget(state, query) },
  { method: "GET", path: "/adv/v1/promotion/count", read: (state) => Reads.count(state) }
]
