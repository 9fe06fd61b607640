import { Effect, Schema } from "effect"

import { firstIssueOf } from "../../internal/schema/describeIssue.ts"
import { type BidUnit, unitOf, type Wire } from "./Bids.ts"
import type { ProductChange } from "./Campaign.ts"
import { type ClusterBid, type ClusterBidFound, provenUnits } from "./Clusters.ts"
import { AdsInvalidRequest, MarketplaceError } from "./MarketplaceError.ts"
import { Kopecks } from "./money.ts"

/** Validates a request against the schema of its operation. */
export const check = <S extends Schema.Codec<unknown, unknown>>(operation: string, schema: S, input: S["Type"]) =>
  Effect.mapError(Schema.decodeUnknownEffect(Schema.toType(schema))(input), (error) =>
    invalid(operation, firstIssueOf(error))
  )

/** Fails with a problem that was found before anything was sent, if there is one. */
export const refuseIf = (operation: string, problem: string | undefined) =>
  problem === undefined ? Effect.void : Effect.fail(invalid(operation, problem))

/** The error for a request that breaks a rule of the API. */
const invalid = (operation: string, detail: string) =>
  new MarketplaceError({ operation, reason: new AdsInvalidRequest({ detail }) })

/** The lists of articles are beside the campaign, or one level deeper under shorter names. */
export const productsBody = (wire: Wire, campaigns: ReadonlyArray<ProductChange>) =>
  wire === "spec"
    ? { campaigns }
    : {
        nms: campaigns.map(({ add_nms = [], advert_id, delete_nms = [] }) => ({
          advert_id,
          nms: { add: add_nms, delete: delete_nms }
        }))
      }

/** Cluster bids in kopecks or whole rubles; the published form cannot express fractions of a ruble. */
export const clusterBidsBody = Effect.fnUntraced(function* (unit: BidUnit, bids: ReadonlyArray<ClusterBid>) {
  if (unit === "kopecks") return { bids }
  const broken = bids.find(({ bid }) => bid % 100 !== 0)
  if (broken !== undefined) {
    return yield* invalid(
      "setNormqueryBids",
      `the published form takes whole rubles only, and ${broken.bid} kopecks for "${broken.norm_query}" are not`
    )
  }
  return { bids: bids.map(({ bid, ...cluster }) => ({ ...cluster, bid: bid / 100 })) }
})

/** Cluster bids in kopecks, under the field names of the operation of today. */
export const minorClusterBids = (bids: ReadonlyArray<ClusterBid>) => ({
  bids: bids.map(({ advert_id, bid, nm_id, norm_query }) => ({
    advertId: advert_id,
    nmId: nm_id,
    normQuery: norm_query,
    bidMinorUnits: bid
  }))
})

interface BidShown {
  readonly bid: number
  readonly bid_kopecks?: Kopecks | null
}

/**
 * Cluster bids in kopecks: newer answers state them; otherwise in the unit that the other bids of the answer prove, or else in
 * that of the wire.
 */
export const clusterBidsRead = <A extends BidShown>(wire: Wire, bids: ReadonlyArray<A>) => {
  const units = bids.map(unitShown)
  const [proven, other] = provenUnits(units.map((unit) => ({ unit })))
  const unit = proven === undefined || other !== undefined ? unitOf(wire) : proven
  return bids.map((item, index) => ({
    ...item,
    bid: item.bid_kopecks ?? Kopecks.make(Math.round(unit === "kopecks" ? item.bid : item.bid * 100)),
    unit: units[index] ?? "unsaid"
  }))
}

/** The unit in which a bid equals the kopecks beside it; `unsaid` if neither does. */
const unitShown = ({ bid, bid_kopecks }: BidShown): ClusterBidFound["unit"] => {
  if (bid_kopecks === undefined || bid_kopecks === null || bid_kopecks === 0) return "unsaid"
  if (bid === bid_kopecks) return "kopecks"
  return Math.round(bid * 100) === bid_kopecks ? "rubles" : "unsaid"
}

/** The operation for minimum bids is the only one that says `recommendation`. */
export const toSingular = (placement: string): string =>
  placement === "recommendations" ? "recommendation" : placement
export const toPlural = (placement: string): string => (placement === "recommendation" ? "recommendations" : placement)
