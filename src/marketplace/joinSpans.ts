import type { CampaignStats } from "./Statistics.ts"

const added = ["views", "clicks", "atbs", "orders", "shks", "canceled"] as const
const paid = ["sum", "sum_price"] as const

/** Adds rubles as whole kopecks, so that no sum grows a tail of digits. */
const addMoney = (a: number, b: number): number => (Math.round(a * 100) + Math.round(b * 100)) / 100

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 100) / 100)

/** One campaign's statistics over two spans that follow each other: counts add up, rates are worked out anew. */
const join = (a: CampaignStats, b: CampaignStats): CampaignStats => {
  const counts = Object.fromEntries(added.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]))
  const money = Object.fromEntries(paid.map((name) => [name, addMoney(a[name] ?? 0, b[name] ?? 0)]))
  const { clicks = 0, orders = 0, views = 0 } = counts
  return {
    ...a,
    ...b,
    ...counts,
    ...money,
    ctr: ratio(clicks * 100, views),
    cpc: ratio(money["sum"] ?? 0, clicks),
    cr: ratio(orders * 100, clicks),
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
