import { jsonBytes } from "../../internal/json/values.ts"
import { statusText } from "../client/Campaign.ts"
import type { Level, Line } from "./lines.ts"
import { totals } from "./lines.ts"
import { type MetricName, metricNames, type Metrics, shownValue } from "./metrics.ts"

/* Lines as answers have them: each amount once, in rubles, and short. */

/** The most bytes of a row. */
const mostBytes = 170

const columns: { readonly [level in Level]: ReadonlyArray<MetricName> } = {
  campaign: ["spent", "revenue", "orders", "drr_percent", "clicks"],
  article: ["spent", "revenue", "orders", "drr_percent", "clicks"],
  cluster: ["spent", "orders", "drr_percent", "clicks", "views"],
  keyword: ["spent", "clicks", "views"],
  charge: ["spent"]
}

type Row = Readonly<Record<string, unknown>>

/** The field of a metric: what is only estimated is called so. */
const fieldOf = (level: Level, name: MetricName): string => {
  const isEstimate = level === "cluster" && (name === "drr_percent" || name === "revenue")
  if (!isEstimate) return name
  return name === "drr_percent" ? "drr_estimate" : `${name}_estimate`
}

const values = (level: Level, metrics: Metrics, names: ReadonlyArray<MetricName>): Row =>
  Object.fromEntries(names.map((name) => [fieldOf(level, name), shownValue(metrics, name)]))

/** A line as a row: its usual columns, and those that conditions and the order are about. */
export const rowOf = (level: Level, line: Line, wanted: ReadonlyArray<MetricName>): Row => {
  const { before, currency, day, document, id, metrics, name, nm_id, paidFrom, position, query, status } = line
  const names = [...new Set([...columns[level], ...wanted])]
  const row = {
    ...(id === undefined ? {} : { id }),
    ...(nm_id === undefined ? {} : { nm_id }),
    ...(query === undefined ? {} : { query }),
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status: statusText(status) }),
    ...(day === undefined ? {} : { day }),
    ...(document === undefined ? {} : { document }),
    ...values(level, metrics, names),
    ...(paidFrom === undefined ? {} : { paid_from: paidFrom }),
    ...(position === undefined || position === null ? {} : { position }),
    ...(before === undefined
      ? {}
      : { spent_before: shownValue(before, "spent"), drr_before: shownValue(before, "drr_percent") }),
    ...(currency === undefined ? {} : { currency })
  }
  return fitted(row, wanted)
}

/** Columns that a row does without where it has no room, unless they are asked for. */
const spare: ReadonlyArray<string> = ["position", "views", "status", "clicks", "revenue"]

/** The row until it fits: first with its name shortened, but to be recognised, then without what is not asked for. */
const fitted = (row: Row, wanted: ReadonlyArray<string>): Row => {
  const field = "query" in row ? "query" : "name"
  let short = field === "name" ? shortened(row, field, 12) : row
  for (const column of spare.filter((name) => name in row && !wanted.includes(name))) {
    if (jsonBytes(short) <= mostBytes) return short
    short = Object.fromEntries(Object.entries(short).filter(([name]) => name !== column))
  }
  return shortened(short, field, 6)
}

/** The row with a text of it cut until the row fits, or so many characters are left. */
const shortened = (row: Row, field: string, least: number): Row => {
  const text = row[field]
  if (typeof text !== "string") return row
  let short = row
  for (let most = text.length - 1; most >= least && jsonBytes(short) > mostBytes; most--) {
    short = { ...row, [field]: `${text.slice(0, most).trimEnd()}…` }
  }
  return short
}

/** The sums of all lines: of money in rubles, and apart of money in other currencies, which is never added to it. */
export const totalOf = (level: Level, lines: ReadonlyArray<Line>) => {
  const { others, rubles } = totals(lines)
  const sums = ({ before, metrics, vain }: (typeof others)[number] | typeof rubles) => ({
    ...(level === "charge"
      ? values(level, metrics, ["spent"])
      : {
          ...values(level, metrics, ["spent", "revenue", "orders", "drr_percent", "clicks", "views", "baskets"]),
          spent_without_orders: vain / 100
        }),
    ...(before.spent === null
      ? {}
      : { spent_before: shownValue(before, "spent"), drr_before: shownValue(before, "drr_percent") })
  })
  return {
    ...sums(rubles),
    ...(others.length === 0
      ? {}
      : { other_currencies: others.map((other) => ({ currency: other.currency, ...sums(other) })) })
  }
}

const formula = /^[=+\-@\t\r]/
const separator = /[",\n\r]/

type Cell = string | number | null | undefined

const cell = (value: Cell): string => {
  const text = String(value ?? "")
  // What begins like a formula would be one in a spreadsheet.
  const plain = formula.test(text) && typeof value === "string" ? `'${text}` : text
  return separator.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** The columns of a level in CSV, between the campaign and the day. */
const ownColumns: { readonly [level in Level]: ReadonlyArray<string> } = {
  campaign: ["name", "status"],
  article: ["article", "name"],
  cluster: ["article", "query"],
  keyword: ["article", "query"],
  charge: ["name", "document", "paid_from"]
}

/** All lines as CSV, with every metric. */
export const csvOf = (level: Level, lines: ReadonlyArray<Line>): string => {
  const head = ["campaign", ...ownColumns[level], ...(lines.some(({ day }) => day !== undefined) ? ["day"] : [])]
  const rows = lines.map((line) => {
    const { currency, day, document, id, metrics, name, nm_id, paidFrom, position, query, status } = line
    const facts: Readonly<Record<string, Cell>> = {
      campaign: id,
      article: nm_id,
      name,
      status: status === undefined ? undefined : statusText(status),
      query,
      document,
      paid_from: paidFrom,
      day
    }
    return [
      ...head.map((column) => facts[column]),
      ...metricNames.map((metric) => shownValue(metrics, metric)),
      metrics.items,
      metrics.cancelled,
      position,
      currency
    ]
  })
  const titles = [
    ...head,
    ...metricNames.map((name) => fieldOf(level, name)),
    "items",
    "cancelled",
    "position",
    "currency"
  ]
  return [titles, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("")
}
