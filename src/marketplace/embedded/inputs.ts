import { Schema, SchemaGetter } from "effect"

import { PaymentType, Placement, status, UpdateProducts } from "../client/Campaign.ts"
import { Cluster } from "../client/Clusters.ts"
import { AdvertId, Day, Pair } from "../client/ids.ts"

const Numbers = Schema.Array(Schema.Int)

/** The bids of articles; their numbers are checked by a rule of its own. */
export const Bids = Schema.Struct({
  bids: Schema.Array(
    Schema.Struct({
      advert_id: Schema.Int,
      nm_bids: Schema.Array(Schema.Struct({ nm_id: Schema.Int, bid_kopecks: Schema.Int, placement: Placement }))
    })
  )
})
export type Bids = typeof Bids.Type

/** The same change of articles on the published wire. */
export const PublishedProducts = Schema.Struct({
  nms: Schema.Array(
    Schema.Struct({
      advert_id: Schema.Int,
      nms: Schema.Struct({ add: Schema.optionalKey(Numbers), delete: Schema.optionalKey(Numbers) })
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

/** In kopecks or rubles, by wire; as rubles it still makes an exact number of kopecks. */
const Bid = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Math.floor(Number.MAX_SAFE_INTEGER / 100) }))

export const ClusterBids = Schema.Struct({ bids: Schema.Array(Schema.Struct({ ...Cluster.fields, bid: Bid })) })
export type ClusterBids = typeof ClusterBids.Type

export const Clusters = Schema.Struct({ bids: Schema.Array(Cluster) })
export type Clusters = typeof Clusters.Type

/** Only here the placement is called `recommendation`. */
export const BidsMin = Schema.Struct({
  advert_id: Schema.Int,
  nm_ids: Numbers,
  payment_type: PaymentType,
  placement_types: Schema.Array(Schema.Literals(["combined", "search", "recommendation"]))
})
export type BidsMin = typeof BidsMin.Type

export const Budgets = Schema.Struct({ advertIds: Numbers })
export type Budgets = typeof Budgets.Type

/** A whole number in a query. */
const Whole = Schema.String.check(Schema.isPattern(/^-?\d+$/)).pipe(Schema.decodeTo(Schema.NumberFromString))

/** Values separated by commas. */
const listOf = <S extends Schema.Codec<unknown, number>>(item: S) =>
  Schema.String.pipe(
    Schema.decodeTo(Schema.Array(Whole.pipe(Schema.decodeTo(item))), {
      decode: SchemaGetter.transform((text: string) => text.split(",").filter((part) => part.trim() !== "")),
      encode: SchemaGetter.transform((parts: ReadonlyArray<string>) => parts.join(","))
    })
  )

const Id = Whole.pipe(Schema.decodeTo(AdvertId))
const Ids = listOf(AdvertId)

export const Nothing = Schema.Struct({})

export const OneCampaign = Schema.Struct({ id: Id })
export type OneCampaign = typeof OneCampaign.Type

export const CampaignFilter = Schema.Struct({
  ids: Schema.optionalKey(Ids),
  statuses: Schema.optionalKey(listOf(Schema.Literals(Object.values(status)))),
  payment_type: Schema.optionalKey(PaymentType)
})
export type CampaignFilter = typeof CampaignFilter.Type

export const Fullstats = Schema.Struct({
  ids: Ids.check(Schema.isMinLength(1), Schema.isMaxLength(50)),
  beginDate: Day,
  endDate: Day
})
export type Fullstats = typeof Fullstats.Type

export const Keywords = Schema.Struct({ advert_id: Id, from: Day, to: Day })
export type Keywords = typeof Keywords.Type
