import type { CampaignStats } from "../client/Statistics.ts"

/** Counts of a campaign, an article or a search cluster over some days; money in kopecks. Null where nothing is told. */
export interface Metrics {
  readonly views: number | null
  readonly clicks: number | null
  readonly baskets: number | null
  readonly orders: number | null
  readonly items: number | null
  readonly cancelled: number | null
  readonly spent: number | null
  readonly revenue: number | null
}

export const noMetrics: Metrics = {
  views: null,
  clicks: null,
  baskets: null,
  orders: null,
  items: null,
  cancelled: null,
  spent: null,
  revenue: null
}

type Given = number | null | undefined

/** A count as the marketplace tells it; null where it tells none, or one that is no number. */
export const count = (given: Given): number | null =>
  typeof given === "number" && Number.isFinite(given) && Math.abs(given) <= Number.MAX_SAFE_INTEGER ? given : null

/** An amount in rubles as kopecks, negative ones included; null where there is none, or none that is exact. */
export const kopecks = (rubles: Given): number | null => {
  const amount = count(rubles)
  return amount === null ? null : count(Math.round(amount * 100))
}

type Row = Pick<CampaignStats, "atbs" | "canceled" | "clicks" | "orders" | "shks" | "sum" | "sum_price" | "views">

/** The counts of a row of campaign statistics. */
export const metricsOf = ({ atbs, canceled, clicks, orders, shks, sum, sum_price, views }: Row): Metrics => ({
  views: count(views),
  clicks: count(clicks),
  baskets: count(atbs),
  orders: count(orders),
  items: count(shks),
  cancelled: count(canceled),
  spent: kopecks(sum),
  revenue: kopecks(sum_price)
})

/** The sum of two numbers of which either may be missing. */
const sum = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b)

export const plus = (a: Metrics, b: Metrics): Metrics => ({
  views: sum(a.views, b.views),
  clicks: sum(a.clicks, b.clicks),
  baskets: sum(a.baskets, b.baskets),
  orders: sum(a.orders, b.orders),
  items: sum(a.items, b.items),
  cancelled: sum(a.cancelled, b.cancelled),
  spent: sum(a.spent, b.spent),
  revenue: sum(a.revenue, b.revenue)
})

/** The metrics that conditions and orders of rows are about; money in rubles, rates in percent. */
export const metricNames = [
  "spent",
  "revenue",
  "orders",
  "drr_percent",
  "cpo",
  "clicks",
  "views",
  "ctr",
  "cpc",
  "cpm",
  "baskets"
] as const
export type MetricName = (typeof metricNames)[number]

/**
 * The share of advertising cost (ДРР) in percent. Money that was spent without an order, or without revenue, has no share: it
 * is the worst of all, and infinite. Null where nothing was spent, or too little is told.
 */
const drr = ({ orders, revenue, spent }: Metrics): number | null => {
  if (spent === null || spent <= 0) return null
  if (revenue !== null && revenue > 0) return (100 * spent) / revenue
  return orders === 0 || revenue === 0 ? Infinity : null
}

const ratio = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole <= 0 ? null : part / whole

const rubles = (amount: number | null): number | null => (amount === null ? null : amount / 100)

const formulas: { readonly [name in MetricName]: (metrics: Metrics) => number | null } = {
  spent: ({ spent }) => rubles(spent),
  revenue: ({ revenue }) => rubles(revenue),
  orders: ({ orders }) => orders,
  drr_percent: drr,
  cpo: ({ orders, spent }) => (orders === 0 && spent !== null && spent > 0 ? Infinity : ratio(rubles(spent), orders)),
  clicks: ({ clicks }) => clicks,
  views: ({ views }) => views,
  ctr: ({ clicks, views }) => ratio(clicks === null ? null : 100 * clicks, views),
  cpc: ({ clicks, spent }) => ratio(rubles(spent), clicks),
  cpm: ({ spent, views }) => ratio(spent === null ? null : 10 * spent, views),
  baskets: ({ baskets }) => baskets
}

/** The value of a metric; null where it cannot be told. The cost of an order without one is infinite. */
export const valueOf = (metrics: Metrics, name: MetricName): number | null => formulas[name](metrics)

/** The value of a metric as an answer has it: with at most two decimals; a share without orders in words, never as 0. */
export const shownValue = (metrics: Metrics, name: MetricName): number | string | null => {
  const value = valueOf(metrics, name)
  if (value === null) return null
  if (value === Infinity) return metrics.orders === 0 ? "no orders" : "no revenue"
  return Math.round(value * 100) / 100
}
