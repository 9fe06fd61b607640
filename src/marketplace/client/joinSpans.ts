import type { CampaignStats } from "./Statistics.ts"

const added = ["views", "clicks", "atbs", "orders", "shks", "canceled"] as const
const paid = ["sum", "sum_price"] as const

type Told = number | null | undefined

/** Nothing where neither span tells it. */
const sumOf = (a: Told, b: Told): number | null =>
  a === null || a === undefined ? (b ?? null) : b === null || b === undefined ? a : a + b

/** Whole kopecks of rubles, so that no sum grows a tail of digits. */
const inKopecks = (rubles: Told): Told => (typeof rubles === "number" ? Math.round(rubles * 100) : rubles)

const ratio = (part: Told, whole: Told): number => (part && whole ? Math.round((part / whole) * 100) / 100 : 0)

const percentage = (part: Told, whole: Told): number => ratio(part && part * 100, whole)

/** One campaign's statistics over two spans that follow each other: counts add up, rates are worked out anew. */
const join = (a: CampaignStats, b: CampaignStats): CampaignStats => {
  const counts = Object.fromEntries(added.map((name) => [name, sumOf(a[name], b[name])]))
  const money = Object.fromEntries(
    paid.map((name) => {
      const kopecks = sumOf(inKopecks(a[name]), inKopecks(b[name]))
      return [name, kopecks === null ? null : kopecks / 100]
    })
  )
  const { clicks, orders, views } = counts
  return {
    ...a,
    ...b,
    ...counts,
    ...money,
    ctr: percentage(clicks, views),
    cpc: ratio(money["sum"], clicks),
    cr: percentage(orders, clicks),
    days: [...(a.days ?? []), ...(b.days ?? [])]
  }
}

/** One entry per campaign from the answers for several spans, in their order. */
export const joinSpans = (answers: ReadonlyArray<CampaignStats>): ReadonlyArray<CampaignStats> => {
  const joined = new Map<number, CampaignStats>()
  for (const stats of answers) {
    const before = joined.get(stats.advertId)
    joined.set(stats.advertId, before === undefined ? stats : join(before, stats))
  }
  return [...joined.values()]
}
