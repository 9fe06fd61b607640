import { isJsonObject, listOf, objectOf } from "../../internal/schema/JsonObject.ts"
import type { ArticleClusters, ClusterStat } from "../client/Clusters.ts"
import { foreign } from "../client/money.ts"
import type { CampaignStats } from "../client/Statistics.ts"
import { count, kopecks, type Metrics, metricsOf, noMetrics, plus } from "./metrics.ts"

/** One article of a campaign on one day. */
interface ArticleDay {
  readonly nm_id: number
  readonly metrics: Metrics
  /** The average place at which it was shown. */
  readonly position: number | null
}

/** One campaign on one day. */
export interface CampaignDay {
  readonly metrics: Metrics
  readonly articles: ReadonlyArray<ArticleDay>
  /** The currency of its money where that is not the ruble. */
  readonly currency?: string
}

/** One search cluster of an article over a period. */
export interface ClusterRow {
  readonly query: string
  readonly metrics: Metrics
  readonly position: number | null
  readonly currency?: string
}

/* Days and clusters are kept as lists of numbers: there are many of them. */

const packed = ({ baskets, cancelled, clicks, items, orders, revenue, spent, views }: Metrics) => [
  views,
  clicks,
  baskets,
  orders,
  items,
  cancelled,
  spent,
  revenue
]

const numberIn = (value: unknown): number | null => (typeof value === "number" ? value : null)

const unpacked = (kept: unknown): Metrics => {
  const [views, clicks, baskets, orders, items, cancelled, spent, revenue] = listOf(kept).map(numberIn)
  return {
    views: views ?? null,
    clicks: clicks ?? null,
    baskets: baskets ?? null,
    orders: orders ?? null,
    items: items ?? null,
    cancelled: cancelled ?? null,
    spent: spent ?? null,
    revenue: revenue ?? null
  }
}

const withCurrency = (currency: unknown) => (typeof currency === "string" ? { currency } : {})

/** A day as it is kept; null for one without statistics. */
export const packedDay = (day: CampaignDay | undefined): unknown =>
  day === undefined
    ? null
    : {
        c: packed(day.metrics),
        a: day.articles.map(({ metrics, nm_id, position }) => [nm_id, packed(metrics), position]),
        m: day.currency
      }

/** The day that was kept; undefined where it had no statistics. */
export const unpackedDay = (kept: unknown): CampaignDay | undefined => {
  if (!isJsonObject(kept)) return undefined
  return {
    metrics: unpacked(kept["c"]),
    articles: listOf(kept["a"]).flatMap((article) => {
      const [nm_id, counts, position] = listOf(article)
      return typeof nm_id === "number" ? [{ nm_id, metrics: unpacked(counts), position: numberIn(position) }] : []
    }),
    ...withCurrency(kept["m"])
  }
}

export const packedClusters = (clusters: ReadonlyArray<ClusterRow>): unknown => ({
  q: clusters.map(({ metrics, position, query }) => [query, packed(metrics), position]),
  m: clusters.find(({ currency }) => currency !== undefined)?.currency
})

export const unpackedClusters = (kept: unknown): ReadonlyArray<ClusterRow> => {
  const { m, q } = objectOf(kept)
  return listOf(q).flatMap((cluster) => {
    const [query, counts, position] = listOf(cluster)
    return typeof query === "string"
      ? [{ query, metrics: unpacked(counts), position: numberIn(position), ...withCurrency(m) }]
      : []
  })
}

/** The days of a campaign in an answer of the marketplace, by day. An answer without days counts for the last one. */
export const daysIn = (stats: CampaignStats, lastDay: string): ReadonlyMap<string, CampaignDay> => {
  const currency = foreign(stats.currency)
  const inCurrency = currency === undefined ? {} : { currency }
  if (!stats.days) return new Map([[lastDay, { metrics: metricsOf(stats), articles: [], ...inCurrency }]])
  const positions = new Map(
    (stats.boosterStats ?? []).map(({ avg_position, date, nm }) => [`${date.slice(0, 10)}:${nm}`, count(avg_position)])
  )
  return new Map(
    (stats.days ?? []).map((day): readonly [string, CampaignDay] => {
      const date = day.date.slice(0, 10)
      const articles = new Map<number, Metrics>()
      for (const { nms } of day.apps ?? []) {
        for (const article of nms ?? []) {
          articles.set(article.nmId, plus(articles.get(article.nmId) ?? noMetrics, metricsOf(article)))
        }
      }
      return [
        date,
        {
          metrics: metricsOf(day),
          articles: [...articles].map(([nm_id, metrics]) => ({
            nm_id,
            metrics,
            position: positions.get(`${date}:${nm_id}`) ?? null
          })),
          ...inCurrency
        }
      ]
    })
  )
}

/** The names of articles in an answer of the marketplace. */
export const namesIn = (stats: CampaignStats): ReadonlyMap<number, string> =>
  new Map(
    (stats.days ?? []).flatMap(({ apps }) =>
      (apps ?? []).flatMap(({ nms }) =>
        (nms ?? []).flatMap(({ name, nmId }) =>
          typeof name === "string" && name !== "" ? [[nmId, name] as const] : []
        )
      )
    )
  )

/** The statistics of one search cluster; its revenue is not published. */
export const clusterRow = ({
  atbs,
  avg_pos,
  clicks,
  currency,
  norm_query: query,
  orders,
  shks,
  spend,
  views
}: ClusterStat): ClusterRow => {
  const other = foreign(currency)
  return {
    query,
    metrics: {
      ...noMetrics,
      views: count(views),
      clicks: count(clicks),
      baskets: count(atbs),
      orders: count(orders),
      items: count(shks),
      spent: kopecks(spend)
    },
    position: count(avg_pos),
    ...(other === undefined ? {} : { currency: other })
  }
}

export const clustersIn = ({ stats }: ArticleClusters): ReadonlyArray<ClusterRow> => (stats ?? []).map(clusterRow)

/** Clusters over several periods as over one: counts are added, places are those of the last. */
export const joinedClusters = (periods: ReadonlyArray<ReadonlyArray<ClusterRow>>): ReadonlyArray<ClusterRow> => {
  const joined = new Map<string, ClusterRow>()
  for (const row of periods.flat()) {
    const before = joined.get(row.query)
    joined.set(row.query, before === undefined ? row : { ...row, metrics: plus(before.metrics, row.metrics) })
  }
  return [...joined.values()]
}
