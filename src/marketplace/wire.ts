import { Effect, Schema } from "effect"

import type { BidUnit, ClusterBid } from "./Clusters.ts"
import { AdsInvalidRequest } from "./MarketplaceError.ts"
import { Kopecks } from "./money.ts"
import type { ProductChange } from "./Products.ts"

/** Two bodies have another form at the marketplace than in the document; this says which one goes out. */
export const Wire = Schema.Literals(["spec", "published"])
export type Wire = typeof Wire.Type

/** D1: the lists of articles lie beside the campaign, or one level deeper under shorter names. */
export const productsBody = (wire: Wire, campaigns: ReadonlyArray<ProductChange>) =>
  wire === "spec"
    ? { campaigns }
    : {
        nms: campaigns.map(({ add_nms = [], advert_id, delete_nms = [] }) => ({
          advert_id,
          nms: { add: add_nms, delete: delete_nms }
        }))
      }

/** D2: kopecks, or whole rubles; kopecks that are not whole rubles cannot be said in the published form. */
export const clusterBidsBody = Effect.fnUntraced(function* (wire: Wire, bids: ReadonlyArray<ClusterBid>) {
  if (wire === "spec") return { bids }
  const broken = bids.find(({ bid }) => bid % 100 !== 0)
  if (broken !== undefined) {
    return yield* new AdsInvalidRequest({
      operation: "setNormqueryBids",
      detail: `the published form takes whole rubles only, and ${broken.bid} kopecks for "${broken.norm_query}" are not`
    })
  }
  return { bids: bids.map(({ bid, ...cluster }) => ({ ...cluster, bid: bid / 100 })) }
})

/** What a cluster bids, in kopecks: said outright by newer answers, else in the unit of the wire. */
export const clusterBidRead = (
  wire: Wire,
  { bid, bid_kopecks }: { readonly bid: number; readonly bid_kopecks?: Kopecks | null }
): { readonly bid: Kopecks; readonly unit: BidUnit } => {
  if (bid_kopecks === undefined || bid_kopecks === null) {
    return { bid: Kopecks.make(Math.round(wire === "spec" ? bid : bid * 100)), unit: "unsaid" }
  }
  return { bid: bid_kopecks, unit: bid > 0 && bid * 100 === bid_kopecks ? "rubles" : "kopecks" }
}

/** D9: this operation alone says `recommendation`. */
export const toSingular = (placement: string): string =>
  placement === "recommendations" ? "recommendation" : placement
export const toPlural = (placement: string): string => (placement === "recommendation" ? "recommendations" : placement)
