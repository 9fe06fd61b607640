import { clipped } from "../../internal/foreignText.ts"
import { status } from "../client/Campaign.ts"
import { type Line, totals } from "./lines.ts"
import { type Metrics, noMetrics, plus, shownValue } from "./metrics.ts"

/* The state of an account in a few rows; money in rubles. */

const most = 5

const nameOf = ({ name = "" }: Line): string => clipped(name, 40)

/** Sums over a period, and over the one before. */
export const sumsOf = (metrics: Metrics, before: Metrics) => ({
  spent: shownValue(metrics, "spent"),
  orders: shownValue(metrics, "orders"),
  revenue: shownValue(metrics, "revenue"),
  drr_percent: shownValue(metrics, "drr_percent"),
  spent_before: shownValue(before, "spent"),
  drr_before: shownValue(before, "drr_percent")
})

/** Sums of lines with the period before; money of other currencies is left out, and its campaigns are counted. */
export const weekOf = (lines: ReadonlyArray<Line>) => {
  const { others, rubles } = totals(lines)
  const foreign = lines.filter(({ currency }) => currency !== undefined).length
  return { ...sumsOf(rubles.metrics, rubles.before), ...(others.length === 0 ? {} : { in_other_currencies: foreign }) }
}

/** The money that a campaign has spent beyond what its orders would have cost at the account's own ДРР; kopecks. */
const wastedBy = ({ orders, revenue, spent }: Metrics, share: number): number => {
  if (spent === null || spent <= 0) return 0
  return orders === 0 ? spent : Math.max(0, spent - (revenue ?? Infinity) * share)
}

/** The campaigns that waste most, measured by the ДРР of the whole account. */
export const wastersAmong = (lines: ReadonlyArray<Line>) => {
  const inRubles = lines.filter(({ currency }) => currency === undefined)
  const { revenue, spent } = inRubles.reduce((sum, { metrics }) => plus(sum, metrics), noMetrics)
  const share = spent !== null && revenue !== null && revenue > 0 ? spent / revenue : Infinity
  return inRubles
    .map((line) => ({ line, wasted: wastedBy(line.metrics, share) }))
    .filter(({ wasted }) => wasted > 0)
    .toSorted((a, b) => b.wasted - a.wasted || (a.line.id ?? 0) - (b.line.id ?? 0))
    .slice(0, most)
    .map(({ line, wasted }) => ({
      id: line.id ?? 0,
      name: nameOf(line),
      spent: shownValue(line.metrics, "spent"),
      orders: shownValue(line.metrics, "orders"),
      drr_percent: shownValue(line.metrics, "drr_percent"),
      wasted: Math.round(wasted) / 100
    }))
}

/** A campaign with its budget in kopecks, and the days of the period on which it has spent something. */
export interface Funded {
  readonly line: Line
  readonly budget: number
  readonly days: number
}

/** The running campaigns whose money lasts the fewest days, at the pace of the days on which they spent something. */
export const lowBudgets = (funded: ReadonlyArray<Funded>) =>
  funded
    .filter(({ line }) => line.status === status.active && (line.metrics.spent ?? 0) > 0)
    .map(({ budget, days, line }) => {
      const perDay = (line.metrics.spent ?? 0) / Math.max(1, days)
      return {
        id: line.id ?? 0,
        name: nameOf(line),
        budget: budget / 100,
        days_left: Math.round((10 * budget) / perDay) / 10
      }
    })
    .toSorted((a, b) => a.days_left - b.days_left || a.id - b.id)
    .slice(0, most)

/** Campaigns that spent money in the period, and are paused with none left. */
export const stoppedAmong = (funded: ReadonlyArray<Funded>) => {
  const stopped = funded.filter(({ budget, line }) => line.status === status.paused && budget === 0)
  return {
    stopped: stopped
      .toSorted((a, b) => (b.line.metrics.spent ?? 0) - (a.line.metrics.spent ?? 0))
      .slice(0, most)
      .map(({ line }) => ({ id: line.id ?? 0, name: nameOf(line), spent: shownValue(line.metrics, "spent") })),
    stopped_count: stopped.length
  }
}
