import { Schema, SchemaGetter } from "effect"

import { PaymentType, Placement } from "../../marketplace/Campaign.ts"
import { Cluster } from "../../marketplace/Clusters.ts"
import { Pair } from "../../marketplace/ids.ts"
import { UpdateProducts } from "../../marketplace/Products.ts"

const Ids = Schema.Array(Schema.Int)

/** The bids of articles; which numbers it takes is a rule of its own. */
export const Bids = Schema.Struct({
  bids: Schema.Array(
    Schema.Struct({
      advert_id: Schema.Int,
      nm_bids: Schema.Array(Schema.Struct({ nm_id: Schema.Int, bid_kopecks: Schema.Int, placement: Placement }))
    })
  )
})
export type Bids = typeof Bids.Type

/** D1: the same change of articles in the form of the other wire. */
export const PublishedProducts = Schema.Struct({
  nms: Schema.Array(
    Schema.Struct({
      advert_id: Schema.Int,
      nms: Schema.Struct({ add: Schema.optionalKey(Ids), delete: Schema.optionalKey(Ids) })
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

export const Pairs = Schema.Struct({ items: Schema.Array(Pair) })
export type Pairs = typeof Pairs.Type

/** In the unit of the wire (D2); as rubles it still makes an exact number of kopecks. */
const Bid = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Math.floor(Number.MAX_SAFE_INTEGER / 100) }))

export const ClusterBids = Schema.Struct({ bids: Schema.Array(Schema.Struct({ ...Cluster.fields, bid: Bid })) })
export type ClusterBids = typeof ClusterBids.Type

export const Clusters = Schema.Struct({ bids: Schema.Array(Cluster) })
export type Clusters = typeof Clusters.Type

/** Here alone it is `recommendation` (D9). */
export const BidsMin = Schema.Struct({
  advert_id: Schema.Int,
  nm_ids: Ids,
  payment_type: PaymentType,
  placement_types: Schema.Array(Schema.Literals(["combined", "search", "recommendation"]))
})
export type BidsMin = typeof BidsMin.Type

export const Budgets = Schema.Struct({ advertIds: Ids })
export type Budgets = typeof Budgets.Type
