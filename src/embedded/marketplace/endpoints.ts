import { ClusterStatsRequest } from "../../marketplace/Clusters.ts"
import { MinusPhrases } from "../../marketplace/MinusPhrases.ts"
import { NewCampaign } from "../../marketplace/NewCampaign.ts"
import { UpdateProducts } from "../../marketplace/Products.ts"
import * as Articles from "./articleWrites.ts"
import * as Body from "./bodies.ts"
import * as Campaigns from "./campaignWrites.ts"
import * as Clusters from "./clusterWrites.ts"
import { type Endpoint, makeOn } from "./Endpoint.ts"
import * as Query from "./queries.ts"
import * as Reads from "./reads.ts"
import type { Wire } from "./shapes.ts"
import * as Statistics from "./statistics.ts"
import { voices } from "./voices.ts"

/** The operations, in the form of a wire: which part of the marketplace has each, what it takes, what it does. */
export const endpoints = (wire: Wire): ReadonlyArray<Endpoint> => {
  const { campaigns, creation, deletion, keywords, money, moves, statistics } = voices
  const products = wire === "spec" ? UpdateProducts : Body.PublishedProducts
  const on = makeOn(wire)
  return [
    on("GET", "/api/advert/v2/adverts", campaigns, Query.CampaignFilter, { read: Reads.adverts }),
    on("PATCH", "/api/advert/v1/bids", campaigns, Body.Bids, { write: Articles.bids }),
    on("PATCH", "/adv/v0/auction/nms", campaigns, products, { write: Articles.products }),
    on("POST", "/adv/v0/normquery/get-minus", campaigns, Body.Pairs, { read: Reads.minusPhrases }),
    on("POST", "/adv/v0/normquery/set-minus", campaigns, MinusPhrases, { write: Articles.minusPhrases }),
    on("POST", "/adv/v0/normquery/stats", campaigns, ClusterStatsRequest, { read: Statistics.clusters }),
    on("POST", "/adv/v0/normquery/bids", campaigns, Body.ClusterBids, { write: Clusters.setClusterBids }),
    on("GET", "/adv/v3/fullstats", statistics, Query.Fullstats, { read: Statistics.fullstats }),
    on("GET", "/adv/v0/stats/keywords", keywords, Query.Keywords, { read: Statistics.keywords }),
    on("POST", "/api/advert/v1/bids/min", campaigns, Body.BidsMin, { read: Reads.bidsMin }),
    on("POST", "/adv/v2/seacat/save-ad", creation, NewCampaign, { write: Campaigns.create }),
    on("POST", "/adv/v0/normquery/get-bids", campaigns, Body.Pairs, { read: Reads.clusterBids }),
    on("DELETE", "/adv/v0/normquery/bids", campaigns, Body.Clusters, { write: Clusters.dropClusterBids }),
    on("GET", "/adv/v0/start", moves, Query.OneCampaign, { write: Campaigns.start }),
    on("GET", "/adv/v0/pause", moves, Query.OneCampaign, { write: Campaigns.pause }),
    on("GET", "/adv/v0/delete", deletion, Query.OneCampaign, { write: Campaigns.remove }),
    on("POST", "/api/advert/v2/budget", money, Body.Budgets, { read: Reads.budgets }),
    on("GET", "/adv/v1/budget", money, Query.OneCampaign, { read: Reads.budget }),
    on("GET", "/adv/v1/promotion/count", campaigns, Query.Nothing, { read: Reads.count })
  ]
}
