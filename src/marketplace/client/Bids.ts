import { Schema } from "effect"

import { open } from "../../internal/schema/JsonObject.ts"
import { PaymentType, Placement } from "./Campaign.ts"
import { AdvertId, NmId } from "./ids.ts"
import { Kopecks, Told } from "./money.ts"

/** The two units in which the marketplace may read the bid for a search cluster. */
export const BidUnit = Schema.Literals(["kopecks", "rubles"])
export type BidUnit = typeof BidUnit.Type

/** Two request bodies differ between the specification and the marketplace; this says which form is sent. */
export const Wire = Schema.Literals(["spec", "published"])
export type Wire = typeof Wire.Type

/** A wire as cluster bids have it: with `minor`, the published operation of today, they go out in kopecks. */
export type ClusterWire = Wire | "minor"

/** The unit of cluster bids on a wire. */
export const unitOf = (wire: Wire): BidUnit => (wire === "spec" ? "kopecks" : "rubles")

/** A bid that may be sent: at least one kopeck. */
export const BidKopecks = Kopecks.check(Schema.isGreaterThan(0, { message: "must be more than 0 kopecks" }))

/** The bid of one article at one placement, in kopecks. */
export const NmBid = Schema.Struct({ nm_id: NmId, bid_kopecks: BidKopecks, placement: Placement })
export type NmBid = typeof NmBid.Type

/** The bids of one campaign, by article and placement. */
export const BidUpdate = Schema.Struct({ advert_id: AdvertId, nm_bids: Schema.Array(NmBid) })
export type BidUpdate = typeof BidUpdate.Type

export const UpdateBids = Schema.Struct({ bids: Schema.Array(BidUpdate) })

/** The articles whose minimum bids are read; `recommendations` is sent as the operation spells it, `recommendation`. */
export const BidsMinRequest = Schema.Struct({
  advert_id: AdvertId,
  nm_ids: Schema.Array(NmId),
  payment_type: PaymentType,
  placement_types: Schema.Array(Placement)
})
export type BidsMinRequest = typeof BidsMinRequest.Type

/** The minimum bids of one article, by placement, in kopecks. */
export const BidsMin = open({
  nm_id: Schema.Int,
  bids: Schema.Array(
    open({ type: Schema.String, value: Told, currency: Schema.optionalKey(Schema.NullOr(Schema.String)) })
  )
})
export type BidsMin = typeof BidsMin.Type

export const BidsMinReply = open({ bids: Schema.optionalKey(Schema.NullOr(Schema.Array(BidsMin))) })

const Recommended = Schema.optionalKey(Schema.NullOr(open({ bidKopecks: Told, bidKopecksMin: Told })))

/**
 * Recommended bids of one article in kopecks: with pay per view for the article and its search clusters, with pay per click for
 * ranges of positions.
 */
export const BidsRecommendations = open({
  advertId: Schema.optionalKey(Schema.Int),
  nmId: Schema.optionalKey(Schema.Int),
  paymentType: Schema.optionalKey(Schema.NullOr(Schema.String)),
  base: Schema.optionalKey(
    Schema.NullOr(open({ competitiveBid: Recommended, leadersBid: Recommended, top2: Recommended }))
  ),
  normQueries: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        open({ normQuery: Schema.String, reachMin: Recommended, reachMedium: Recommended, reachMax: Recommended })
      )
    )
  ),
  levels: Schema.optionalKey(
    Schema.NullOr(Schema.Array(open({ range1To2: Recommended, range3To10: Recommended, range11To34: Recommended })))
  )
})
export type BidsRecommendations = typeof BidsRecommendations.Type
