import { Schema } from "effect"

import { open } from "../../internal/schema/JsonObject.ts"
import { BidKopecks, BidUnit } from "./Bids.ts"
import { AdvertId, Day, NmId, Pair } from "./ids.ts"
import { Kopecks, Told } from "./money.ts"

/** All minus-phrases of an article; setting them replaces the previous ones. */
export const MinusPhrases = Schema.Struct({ ...Pair.fields, norm_queries: Schema.Array(Schema.String) })
export type MinusPhrases = typeof MinusPhrases.Type

export const MinusPhrasesReply = open({
  items: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        open({
          advert_id: Schema.Int,
          nm_id: Schema.Int,
          norm_queries: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String)))
        })
      )
    )
  )
})

/** The articles whose search clusters are read, and the days. */
export const ClusterStatsRequest = Schema.Struct({ from: Day, to: Day, items: Schema.Array(Pair) })
export type ClusterStatsRequest = typeof ClusterStatsRequest.Type

/**
 * Statistics of one search cluster: `ctr` in percent, money in rubles, `atbs` baskets, `shks` items ordered. Some numbers are
 * missing with pay per click.
 */
export const ClusterStat = open({
  norm_query: Schema.String,
  currency: Schema.optionalKey(Schema.NullOr(Schema.String)),
  views: Told,
  clicks: Told,
  ctr: Told,
  cpc: Told,
  cpm: Told,
  avg_pos: Told,
  atbs: Told,
  orders: Told,
  shks: Told,
  spend: Told
})
export type ClusterStat = typeof ClusterStat.Type

/** The search clusters of one article. */
export const ArticleClusters = open({
  advert_id: Schema.Int,
  nm_id: Schema.Int,
  stats: Schema.optionalKey(Schema.NullOr(Schema.Array(ClusterStat)))
})
export type ArticleClusters = typeof ArticleClusters.Type

export const ClusterStatsReply = open({ stats: Schema.optionalKey(Schema.NullOr(Schema.Array(ArticleClusters))) })

/** The statistics of one search cluster of an article on one day, as the operation by day spells them. */
const DailyStat = open({
  normQuery: Schema.String,
  views: Told,
  clicks: Told,
  ctr: Told,
  cpc: Told,
  cpm: Told,
  avgPos: Told,
  atbs: Told,
  orders: Told,
  shks: Told,
  spend: Told
})

export const DailyStatsReply = open({
  items: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        open({
          advertId: Schema.Int,
          nmId: Schema.Int,
          dailyStats: Schema.optionalKey(
            Schema.NullOr(
              Schema.Array(open({ date: Schema.String, stat: Schema.optionalKey(Schema.NullOr(DailyStat)) }))
            )
          )
        })
      )
    )
  )
})

/** The statistics of one search cluster of one article on one day. */
export interface ClusterDay extends Pair {
  readonly date: string
  readonly stat: ClusterStat
}

/** One day under the field names of the operation over a whole period. */
export const clusterDaysIn = ({ items }: typeof DailyStatsReply.Type): ReadonlyArray<ClusterDay> =>
  (items ?? []).flatMap(({ advertId, dailyStats, nmId }) =>
    (dailyStats ?? []).flatMap(({ date, stat }) => {
      if (stat === null || stat === undefined) return []
      const { avgPos, normQuery, ...numbers } = stat
      const position = avgPos === undefined ? {} : { avg_pos: avgPos }
      return [
        {
          advert_id: advertId,
          nm_id: nmId,
          date: date.slice(0, 10),
          stat: { ...numbers, norm_query: normQuery, ...position }
        }
      ]
    })
  )

const Queries = Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String)))

export const ClusterListReply = open({
  items: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        open({
          advertId: Schema.Int,
          nmId: Schema.Int,
          normQueries: Schema.optionalKey(
            Schema.NullOr(open({ active: Queries, excluded: Queries, archived: Queries }))
          )
        })
      )
    )
  )
})

/** The search clusters of an article with at least 100 views, by their state. */
export interface ClusterList extends Pair {
  readonly active: ReadonlyArray<string>
  readonly excluded: ReadonlyArray<string>
  readonly archived: ReadonlyArray<string>
}

/** One search cluster of one article. */
export const Cluster = Schema.Struct({ advert_id: AdvertId, nm_id: NmId, norm_query: Schema.NonEmptyString })
export type Cluster = typeof Cluster.Type

export const clusterKey = ({ advert_id, nm_id, norm_query }: Cluster): string => `${advert_id}:${nm_id}:${norm_query}`

/** The bid for one search cluster of one article; always kopecks here, whatever is sent. */
export const ClusterBid = Schema.Struct({ ...Cluster.fields, bid: BidKopecks })
export type ClusterBid = typeof ClusterBid.Type

/** A cluster bid as it was read, and the unit that the marketplace uses for it, if its answer proves one. */
export interface ClusterBidFound extends ClusterBid {
  readonly unit: BidUnit | "unsaid"
}

/** The units that the bids of an answer prove: at most one, unless the answer contradicts itself. */
export const provenUnits = (bids: ReadonlyArray<Pick<ClusterBidFound, "unit">>): ReadonlyArray<BidUnit> =>
  BidUnit.literals.filter((unit) => bids.some((bid) => bid.unit === unit))

export const SetClusterBids = Schema.Struct({ bids: Schema.Array(ClusterBid) })
export const DeleteClusterBids = Schema.Struct({ bids: Schema.Array(Cluster) })

/** Within what kopecks can hold, in either unit. */
const isPayable = Schema.isBetween(
  { minimum: 0, maximum: Number.MAX_SAFE_INTEGER / 100 },
  { message: "must be a bid that can be paid" }
)

export const ClusterBidsReply = open({
  bids: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        open({
          advert_id: Schema.Int,
          nm_id: Schema.Int,
          norm_query: Schema.String,
          bid: Schema.Finite.check(isPayable),
          bid_kopecks: Schema.optionalKey(Schema.NullOr(Kopecks))
        })
      )
    )
  )
})

const Text = Schema.optionalKey(Schema.String)
const Id = Schema.optionalKey(Schema.Int)
const Outcome = open({
  advert_id: Id,
  advertId: Id,
  nm_id: Id,
  nmId: Id,
  norm_query: Text,
  normQuery: Text,
  reason: Text
})

/** Documented as empty; the marketplace was seen to return lists of accepted and refused bids, in either spelling. */
export const ClusterBidsSet = Schema.Union([
  open({ failed: Schema.optionalKey(Schema.NullOr(Schema.Array(Outcome))) }),
  Schema.Null,
  Schema.String
])

/** A cluster bid that the marketplace refused, as far as it identifies it, and why. */
export interface ClusterBidRefused extends Partial<Cluster> {
  readonly reason: string
}

/** The cluster bids that an answer lists as refused. */
export const refusedIn = (reply: typeof ClusterBidsSet.Type): ReadonlyArray<ClusterBidRefused> =>
  (reply === null || typeof reply === "string" ? [] : (reply.failed ?? [])).map((item) => {
    const { advert_id = item.advertId, nm_id = item.nmId, norm_query = item.normQuery } = item
    return {
      ...(advert_id === undefined ? {} : { advert_id }),
      ...(nm_id === undefined ? {} : { nm_id }),
      ...(norm_query === undefined ? {} : { norm_query }),
      reason: item.reason ?? "no reason given"
    }
  })
