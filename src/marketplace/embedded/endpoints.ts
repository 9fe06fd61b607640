import { NewCampaign, UpdateProducts } from "../client/Campaign.ts"
import { ClusterStatsRequest, MinusPhrases } from "../client/Clusters.ts"
import { type Endpoint, makeOn, type Wire } from "./Endpoint.ts"
import * as Input from "./inputs.ts"
import * as Reads from "./reads.ts"
import { errorFormats } from "./Reply.ts"
import * as Statistics from "./statistics.ts"
import * as Writes from "./writes.ts"

/** The operations of a wire: how each refuses, what it takes, what it does. */
export const endpoints = (wire: Wire): ReadonlyArray<Endpoint> => {
  const { campaigns, creation, deletion, keywords, money, moves, statistics } = errorFormats
  const products = wire === "spec" ? UpdateProducts : Input.PublishedProducts
  const on = makeOn(wire)
  return [
    on("GET", "/api/advert/v2/adverts", campaigns, Input.CampaignFilter, { read: Reads.adverts }),
    on("PATCH", "/api/advert/v1/bids", campaigns, Input.Bids, { write: Writes.setBids }),
    on("PATCH", "/adv/v0/auction/nms", campaigns, products, { write: Writes.changeArticles }),
    on("POST", "/adv/v0/normquery/get-minus", campaigns, Input.Pairs, { read: Reads.minusPhrases }),
    on("POST", "/adv/v0/normquery/set-minus", campaigns, MinusPhrases, { write: Writes.setMinusPhrases }),
    on("POST", "/adv/v0/normquery/stats", campaigns, ClusterStatsRequest, { read: Statistics.clusters }),
    on("POST", "/adv/v0/normquery/bids", campaigns, Input.ClusterBids, { write: Writes.setClusterBids }),
    on("GET", "/adv/v3/fullstats", statistics, Input.Fullstats, { read: Statistics.fullstats }),
    on("GET", "/adv/v0/stats/keywords", keywords, Input.Keywords, { read: Statistics.keywords }),
    on("POST", "/api/advert/v1/bids/min", campaigns, Input.BidsMin, { read: Reads.bidsMin }),
    on("POST", "/adv/v2/seacat/save-ad", creation, NewCampaign, { write: Writes.create }),
    on("POST", "/adv/v0/normquery/get-bids", campaigns, Input.Pairs, { read: Reads.clusterBids }),
    on("DELETE", "/adv/v0/normquery/bids", campaigns, Input.Clusters, { write: Writes.dropClusterBids }),
    on("GET", "/adv/v0/start", moves, Input.OneCampaign, { write: Writes.start }),
    on("GET", "/adv/v0/pause", moves, Input.OneCampaign, { write: Writes.pause }),
    on("GET", "/adv/v0/delete", deletion, Input.OneCampaign, { write: Writes.remove }),
    on("POST", "/api/advert/v2/budget", money, Input.Budgets, { read: Reads.budgets }),
    on("GET", "/adv/v1/budget", money, Input.OneCampaign, { read: Reads.budget }),
    on("GET", "/adv/v1/promotion/count", campaigns, Input.Nothing, { read: Reads.count })
  ]
}
