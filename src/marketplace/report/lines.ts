import { type Campaign, nameOf } from "../client/Campaign.ts"
import { foreign } from "../client/money.ts"
import { type MetricName, type Metrics, noMetrics, plus, valueOf } from "./metrics.ts"
import type { CampaignDay, ClusterRow } from "./rows.ts"

export const levels = ["campaign", "article", "cluster", "keyword", "charge"] as const
export type Level = (typeof levels)[number]

/**
 * One row of a report: a campaign, an article of one, or a search cluster of an article, over a period or on a day; or what was
 * charged for a campaign.
 */
export interface Line {
  /** Missing in a line of all campaigns together. */
  readonly id?: number
  readonly nm_id?: number
  readonly query?: string
  readonly day?: string
  readonly name?: string
  readonly status?: number
  readonly metrics: Metrics
  /** The same over the period before. */
  readonly before?: Metrics
  readonly position?: number | null
  /** The number of the document of a charge, and the purse that paid it. */
  readonly document?: number
  readonly paidFrom?: string
  /** The currency of its money where that is not the ruble. */
  readonly currency?: string
}

/** The statistics that lines are made of, as far as they are read. */
export interface Days {
  readonly dayOf: (advert_id: number, day: string) => CampaignDay | undefined
  readonly isRead: (advert_id: number, day: string) => boolean
}

const currencyOf = (campaign: Campaign, days: ReadonlyArray<CampaignDay>) => {
  const other = days.find(({ currency }) => currency !== undefined)?.currency ?? foreign(campaign.currency)
  return other === undefined ? {} : { currency: other }
}

const someDays = (campaign: Campaign, { dayOf }: Days, dates: ReadonlyArray<string>) =>
  dates.flatMap((day) => {
    const one = dayOf(campaign.id, day)
    return one === undefined ? [] : [{ day, one }]
  })

const total = (all: ReadonlyArray<Metrics>): Metrics => all.reduce(plus, noMetrics)

/** Whether all of these days of a campaign are read. */
export const isComplete = ({ id }: Campaign, { isRead }: Days, dates: ReadonlyArray<string>): boolean =>
  dates.every((day) => isRead(id, day))

/** A campaign over some days; none if it has no statistics there. */
export const campaignLine = (campaign: Campaign, days: Days, dates: ReadonlyArray<string>): ReadonlyArray<Line> => {
  const some = someDays(campaign, days, dates).map(({ one }) => one)
  if (some.length === 0) return []
  return [
    {
      id: campaign.id,
      name: nameOf(campaign),
      status: campaign.status,
      metrics: total(some.map(({ metrics }) => metrics)),
      ...currencyOf(campaign, some)
    }
  ]
}

export const campaignDayLines = (campaign: Campaign, days: Days, dates: ReadonlyArray<string>): ReadonlyArray<Line> =>
  someDays(campaign, days, dates).map(({ day, one }) => ({
    id: campaign.id,
    name: nameOf(campaign),
    status: campaign.status,
    day,
    metrics: one.metrics,
    ...currencyOf(campaign, [one])
  }))

/** The mean of numbers; null if there are none. */
const mean = (all: ReadonlyArray<number | null>): number | null => {
  const numbers = all.filter((one) => one !== null)
  return numbers.length === 0 ? null : Math.round((10 * numbers.reduce((a, b) => a + b, 0)) / numbers.length) / 10
}

/** The articles of a campaign over some days. */
export const articleLines = (campaign: Campaign, days: Days, dates: ReadonlyArray<string>): ReadonlyArray<Line> => {
  const some = someDays(campaign, days, dates).map(({ one }) => one)
  const articles = new Map<number, { readonly metrics: Array<Metrics>; readonly positions: Array<number | null> }>()
  for (const { articles: inDay } of some) {
    for (const { metrics, nm_id, position } of inDay) {
      const one = articles.get(nm_id) ?? { metrics: [], positions: [] }
      one.metrics.push(metrics)
      one.positions.push(position)
      articles.set(nm_id, one)
    }
  }
  return [...articles].map(([nm_id, { metrics, positions }]) => ({
    id: campaign.id,
    nm_id,
    metrics: total(metrics),
    position: mean(positions),
    ...currencyOf(campaign, some)
  }))
}

export const articleDayLines = (campaign: Campaign, days: Days, dates: ReadonlyArray<string>): ReadonlyArray<Line> =>
  dates.flatMap((day) => articleLines(campaign, days, [day]).map((line) => ({ ...line, day })))

/** The average revenue of an order of an article, in kopecks: as far as known of the article itself, else of its campaign. */
export const averageOrder = (
  campaign: Campaign,
  days: Days,
  dates: ReadonlyArray<string>
): ((nm_id: number) => number | undefined) => {
  const of = ({ orders, revenue }: Metrics) => (orders && revenue ? revenue / orders : undefined)
  const whole = campaignLine(campaign, days, dates)[0]
  const fallback = whole === undefined ? undefined : of(whole.metrics)
  const articles = new Map(articleLines(campaign, days, dates).map(({ metrics, nm_id }) => [nm_id, of(metrics)]))
  return (nm_id) => articles.get(nm_id) ?? fallback
}

/** A search cluster of an article; its revenue is estimated from what an order of the article brings. */
export const clusterLine = (
  campaign: Campaign,
  nm_id: number,
  { currency, metrics, position, query }: ClusterRow,
  average: number | undefined
): Line => {
  const { orders } = metrics
  const revenue = orders === 0 ? 0 : orders === null || average === undefined ? null : Math.round(orders * average)
  const other = currency ?? foreign(campaign.currency)
  return {
    id: campaign.id,
    nm_id,
    query,
    metrics: { ...metrics, revenue },
    position,
    ...(other === undefined ? {} : { currency: other })
  }
}

/** Lines with the largest value of a metric first, or the smallest; those without one come last. */
export const sorted = (lines: ReadonlyArray<Line>, metric: MetricName, isAscending: boolean): ReadonlyArray<Line> => {
  const keyed = lines.map((line) => ({ line, value: valueOf(line.metrics, metric) }))
  const sign = isAscending ? 1 : -1
  return keyed
    .toSorted((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null)
      return a.value === b.value ? moreSpent(a.line, b.line) : sign * (a.value < b.value ? -1 : 1)
    })
    .map(({ line }) => line)
}

/** Of equals, the one that costs more comes first; then the order of ids, so that pages hold together. */
const moreSpent = (a: Line, b: Line): number =>
  (b.metrics.spent ?? 0) - (a.metrics.spent ?? 0) || (a.id ?? 0) - (b.id ?? 0) || (a.nm_id ?? 0) - (b.nm_id ?? 0)

/** The lines of each day together, the first day first. */
export const summedByDay = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const days = new Map<string, Line>()
  for (const { currency, day, metrics } of lines) {
    const key = `${day}:${currency ?? ""}`
    const before = days.get(key)
    const at = { ...(day === undefined ? {} : { day }), ...(currency === undefined ? {} : { currency }) }
    days.set(key, { ...at, metrics: before === undefined ? metrics : plus(before.metrics, metrics) })
  }
  return [...days].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line)
}

/** The sum of lines in rubles; money of other currencies is summed apart, by currency. */
export const totals = (lines: ReadonlyArray<Line>) => {
  const byCurrency = new Map<string, Array<Line>>()
  for (const line of lines) {
    const currency = line.currency ?? ""
    const some = byCurrency.get(currency) ?? []
    some.push(line)
    byCurrency.set(currency, some)
  }
  const sumOf = (some: ReadonlyArray<Line>) => ({
    metrics: total(some.map(({ metrics }) => metrics)),
    vain: total(some.filter(({ metrics }) => metrics.orders === 0).map(({ metrics }) => metrics)).spent ?? 0,
    before: total(some.flatMap(({ before }) => before ?? []))
  })
  const rubles = sumOf(byCurrency.get("") ?? [])
  byCurrency.delete("")
  return { rubles, others: [...byCurrency].map(([currency, some]) => ({ currency, ...sumOf(some) })) }
}
