import { Clock, DateTime, Effect, Option, Result, Schema } from "effect"

import { optional } from "../../mcp/parameters.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { nameOf } from "../client/Campaign.ts"
import { Day } from "../client/ids.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { foreign } from "../client/money.ts"
import { type Condition, contradiction, meetsAll, metricNamed, parse } from "../report/conditions.ts"
import { KeptStatistics } from "../report/KeptStatistics.ts"
import { type Level, levels, type Line, sorted, summedByDay } from "../report/lines.ts"
import { count, kopecks, type MetricName, metricNames, noMetrics, plus } from "../report/metrics.ts"
import { dayAfter, dayAt, lastDays, type Period } from "../report/period.ts"
import { periodProblem, readReport } from "../report/Reports.ts"
import { patience } from "./deadline.ts"
import { checkSelection, selected, type Selection, selection } from "./selection.ts"
import { leftOut } from "./shown.ts"

/** The arguments of a report, also of its form as CSV. */
export const reportFields = {
  level: optional(Schema.Literals(levels).annotate({ description: "Default campaign" })),
  from: optional(Day.annotate({ description: "YYYY-MM-DD, Moscow; default last 7 whole days" })),
  to: optional(Day.annotate({ description: "Last day" })),
  campaigns: optional(selection("Default all that ran")),
  where: optional(
    Schema.Array(Schema.String).annotate({
      description: `All to be met: "drr_percent > 15"; metrics: ${metricNames.join(", ")}`
    })
  ),
  sort: optional(Schema.String.annotate({ description: 'Metric, default spent; "cpc asc": smallest first' }))
}

interface ReportArguments {
  readonly level?: Level
  readonly from?: string
  readonly to?: string
  readonly campaigns?: Selection
  readonly where?: ReadonlyArray<string>
  readonly sort?: string
  readonly compare?: boolean
  readonly by_day?: boolean
}

/** The period that is asked for: by default the last seven whole days; with one end alone, seven days there. */
export const periodOf = (now: number, { from, to }: Pick<ReportArguments, "from" | "to">): Period => {
  if (from === undefined && to === undefined) return lastDays(now, 7)
  const yesterday = lastDays(now, 1).to
  const last = to ?? (from !== undefined && from > yesterday ? dayAt(now) : yesterday)
  return { from: from ?? dayAfter(last, -6), to: last }
}

/** Reads conditions; fails with the first that cannot be understood, or those that contradict each other. */
export const conditionsIn = (argument: string, texts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const conditions: Array<Condition> = []
    for (const [index, text] of texts.entries()) {
      const read = parse(text)
      if (Result.isFailure(read)) {
        return yield* new InvalidArgument({ argument: `${argument}.${index}`, problem: read.failure })
      }
      conditions.push(read.success)
    }
    const problem = contradiction(conditions)
    return problem === undefined ? conditions : yield* new InvalidArgument({ argument, problem })
  })

export const checkPeriod = (period: Period) => {
  const wrong = periodProblem(period)
  return wrong === undefined ? Effect.void : Effect.fail(new InvalidArgument({ argument: wrong[0], problem: wrong[1] }))
}

const orderIn = (text: string) => {
  const [name = "", direction = "desc"] = text.trim().split(/\s+/)
  const metric = metricNamed(name)
  return metric === undefined || !/^(?:asc|desc)$/i.test(direction)
    ? Effect.fail(
        new InvalidArgument({ argument: "sort", problem: `must be one of ${metricNames.join(", ")}, perhaps with asc` })
      )
    : Effect.succeed({ metric, isAscending: direction.toLowerCase() === "asc" })
}

/** The metrics of levels that are read apart from statistics by day, and have few. */
const fewMetrics: Partial<Record<Level, ReadonlyArray<MetricName>>> = {
  keyword: ["spent", "clicks", "views", "ctr", "cpc", "cpm"],
  charge: ["spent"]
}

/** Refuses what a level does not have: rows would be missing without a word. */
const checkLevel = ({ by_day, compare }: ReportArguments, level: Level, wanted: ReadonlyArray<MetricName>) => {
  const metrics = fewMetrics[level]
  if (metrics === undefined) return Effect.void
  const refuse = (argument: string, problem: string) => Effect.fail(new InvalidArgument({ argument, problem }))
  const absent = wanted.find((metric) => !metrics.includes(metric))
  if (absent !== undefined)
    return refuse("where", `must not be about ${absent}: level ${level} has ${metrics.join(", ")}`)
  if (compare === true) return refuse("compare", `must not be true for level ${level}`)
  return by_day === true && level === "keyword" ? refuse("by_day", "must not be true for level keyword") : Effect.void
}

/** All lines of a report that meet its conditions, in its order, and what is not read yet. */
export const linesFor = Effect.fn("linesFor")(function* (
  given: ReportArguments,
  /** With `by_day`, whether each campaign has lines of its own; else there is one for each day. */
  isDetailed = false
) {
  const { by_day = false, campaigns: chosen, compare = false, level = "campaign", sort, where = [] } = given
  yield* checkSelection("campaigns", chosen)
  const period = periodOf(yield* Clock.currentTimeMillis, given)
  yield* checkPeriod(period)
  const conditions = yield* conditionsIn("where", where)
  const order = yield* orderIn(sort ?? "spent")
  const wanted = [
    ...new Set([...conditions.map(({ metric }) => metric), ...(sort === undefined ? [] : [order.metric])])
  ]
  yield* checkLevel(given, level, wanted)
  const facts = { level, period, wanted }
  const arranged = (all: ReadonlyArray<Line>) => {
    const lines = by_day && !isDetailed ? summedByDay(all) : all
    const chosenLines = lines.filter(({ metrics }) => meetsAll(metrics, conditions))
    return by_day && sort === undefined ? chosenLines : sorted(chosenLines, order.metric, order.isAscending)
  }
  if (level === "keyword" || level === "charge") {
    const lines = yield* (level === "keyword" ? keywordLines : chargeLines)(chosen, period)
    return { ...facts, lines: arranged(lines), missing: [], unread: undefined, left: {} }
  }
  const report = yield* readReport(
    {
      level,
      period,
      isCompared: compare,
      isByDay: by_day,
      ...(chosen === undefined ? {} : { choose: (all) => selected(all, chosen) })
    },
    yield* patience
  )
  const ids = new Set([...report.campaigns, ...report.unreadable].map((one) => ("id" in one ? one.id : one.advert_id)))
  return {
    ...facts,
    lines: arranged(report.lines),
    missing: (chosen?.ids ?? []).filter((id) => !ids.has(id)),
    left: leftOut(report.unreadable),
    unread: report.unread
  }
})

/** The Moscow day of a moment in a text of the marketplace; undefined for none, as before a charge is settled. */
const dayIn = (text: string | null | undefined): string | undefined =>
  Option.getOrUndefined(Option.map(DateTime.make(text ?? ""), (at) => dayAt(DateTime.toEpochMillis(at))))

/** The charges for campaigns, each with its day and document. */
const chargeLines = Effect.fnUntraced(function* (chosen: Selection | undefined, period: Period) {
  const { adverts } = yield* KeptStatistics.use((statistics) => statistics.campaigns())
  const campaigns = new Map(adverts.map((campaign) => [campaign.id, campaign]))
  const charges = yield* MarketplaceAds.use((ads) => ads.getAdvUpd(period))
  const { ids, ...conditions } = chosen ?? {}
  // A campaign that is gone is still charged for, and only its id can name it.
  const isById = chosen === undefined || Object.keys(conditions).length === 0
  const some = isById ? ids : selected(adverts, { ...chosen }).map(({ id }) => id)
  const wanted = some === undefined ? undefined : new Set(some)
  return charges
    .filter(({ advertId }) => wanted?.has(advertId) ?? true)
    .map(({ advertId: id, campName, paymentType, updNum, updSum, updTime }): Line => {
      const campaign = campaigns.get(id)
      const [day, name] = [dayIn(updTime), campName ?? (campaign && nameOf(campaign))]
      const currency = foreign(campaign?.currency)
      return {
        id,
        ...(name === undefined ? {} : { name }),
        ...(day === undefined ? {} : { day }),
        ...(updNum ? { document: updNum } : {}),
        ...(paymentType ? { paidFrom: paymentType } : {}),
        metrics: { ...noMetrics, spent: kopecks(updSum) },
        ...(currency === undefined ? {} : { currency })
      }
    })
})

/** The keywords of one campaign, over the period. */
const keywordLines = Effect.fnUntraced(function* (chosen: Selection | undefined, { from, to }: Period) {
  const [advert_id, ...others] = chosen?.ids ?? []
  if (advert_id === undefined || others.length > 0) {
    return yield* new InvalidArgument({ argument: "campaigns.ids", problem: "must be one campaign for level keyword" })
  }
  const { keywords } = yield* MarketplaceAds.use((ads) => ads.getStatsKeywords({ advert_id, from, to }))
  const sums = new Map<string, Line>()
  for (const { stats } of keywords) {
    for (const { clicks, keyword, sum: spent, views } of stats) {
      const metrics = { ...noMetrics, clicks: count(clicks), views: count(views), spent: kopecks(spent) }
      const before = sums.get(keyword)
      sums.set(keyword, {
        id: advert_id,
        query: keyword,
        metrics: before === undefined ? metrics : plus(before.metrics, metrics)
      })
    }
  }
  return [...sums.values()]
})
