import { Result } from "effect"

import { nearest } from "../../internal/texts.ts"
import { type MetricName, metricNames, type Metrics, valueOf } from "./metrics.ts"

const comparisons = {
  ">": (value: number, bound: number) => value > bound,
  ">=": (value: number, bound: number) => value >= bound,
  "<": (value: number, bound: number) => value < bound,
  "<=": (value: number, bound: number) => value <= bound,
  "=": (value: number, bound: number) => value === bound
} as const
type Comparison = keyof typeof comparisons

/** One condition on the statistics of a row, such as `drr_percent > 15`. */
export interface Condition {
  readonly metric: MetricName
  readonly comparison: Comparison
  readonly bound: number
}

/** Sellers' words for metrics. */
const otherNames = new Map<string, MetricName>([
  ["drr", "drr_percent"],
  ["дрр", "drr_percent"],
  ["spend", "spent"],
  ["cost", "spent"],
  ["расход", "spent"],
  ["затраты", "spent"],
  ["выручка", "revenue"],
  ["заказы", "orders"],
  ["клики", "clicks"],
  ["показы", "views"],
  ["корзины", "baskets"],
  ["atbs", "baskets"]
])

const form = /^([\p{L}_]+)\s*(>=|<=|==|=|>|<)\s*(-?\d+(?:[.,]\d+)?)(?:\s*(?:%|руб\.?|rub|₽))?$/u

/** A metric by its name, or by one that sellers use. */
export const metricNamed = (text: string): MetricName | undefined => {
  const name = text.trim().toLowerCase()
  return metricNames.find((one) => one === name) ?? otherNames.get(name)
}

const isComparison = (text: string): text is Comparison => Object.hasOwn(comparisons, text)

/** Reads a condition; fails with what is wrong with it. */
export const parse = (text: string): Result.Result<Condition, string> => {
  const [, name, sign = "", number = ""] = form.exec(text.trim()) ?? []
  if (name === undefined) return Result.fail(`must be like "drr_percent > 15", and is ${JSON.stringify(text)}`)
  const metric = metricNamed(name)
  const comparison = sign === "==" ? "=" : sign
  if (metric === undefined || !isComparison(comparison)) {
    const guess = nearest(name, metricNames)
    const meant = guess === undefined ? `one of ${metricNames.join(", ")}` : guess
    return Result.fail(`${name} is no metric: use ${meant}`)
  }
  return Result.succeed({ metric, comparison, bound: Number(number.replace(",", ".")) })
}

/** Whether a row meets a condition; what is not told meets none. */
export const meets = (metrics: Metrics, { bound, comparison, metric }: Condition): boolean => {
  const value = valueOf(metrics, metric)
  return value !== null && comparisons[comparison](value, bound)
}

export const meetsAll = (metrics: Metrics, conditions: ReadonlyArray<Condition>): boolean =>
  conditions.every((condition) => meets(metrics, condition))

export const written = ({ bound, comparison, metric }: Condition): string => `${metric} ${comparison} ${bound}`

/** The reason why conditions can never be met together, if there is one. */
export const contradiction = (conditions: ReadonlyArray<Condition>): string | undefined => {
  for (const metric of metricNames) {
    const some = conditions.filter((condition) => condition.metric === metric)
    const lower = some.filter(({ comparison }) => comparison.startsWith(">") || comparison === "=")
    const upper = some.filter(({ comparison }) => comparison.startsWith("<") || comparison === "=")
    const clash = lower.flatMap((low) => upper.filter((high) => excludes(low, high)).map((high) => [low, high]))[0]
    if (clash !== undefined) return `${clash.map(written).join(" and ")} can never be met together`
  }
  return undefined
}

const excludes = (low: Condition, high: Condition): boolean => {
  const isStrict = low.comparison === ">" || high.comparison === "<"
  return low.bound > high.bound || (low.bound === high.bound && isStrict)
}
