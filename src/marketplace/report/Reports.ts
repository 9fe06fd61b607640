import { Effect } from "effect"

import { articlesOf, type Campaign, status, mayHaveRunSince, pairsOf, type Unreadable } from "../client/Campaign.ts"
import type { Pair } from "../client/ids.ts"
import { caps } from "../client/operations.ts"
import { spans } from "../client/split.ts"
import type { Patience, Unread } from "./gathering.ts"
import { KeptStatistics } from "./KeptStatistics.ts"
import {
  articleDayLines,
  articleLines,
  averageOrder,
  campaignDayLines,
  campaignLine,
  clusterLine,
  type Days,
  isComplete,
  type Line
} from "./lines.ts"
import { noMetrics } from "./metrics.ts"
import { lengthOf, type Period, periodBefore, daysOf } from "./period.ts"
import { type ClusterRow, joinedClusters } from "./rows.ts"

/** The subject of a report. */
interface ReportRequest {
  readonly level: "article" | "campaign" | "cluster"
  readonly period: Period
  /** The campaigns to report on; by default all that have run. */
  readonly choose?: (campaigns: ReadonlyArray<Campaign>) => ReadonlyArray<Campaign>
  readonly isCompared?: boolean
  /** Whether there is a line for each day. */
  readonly isByDay?: boolean
}

/** The lines of a report, as far as they are read. */
export interface Report {
  readonly lines: ReadonlyArray<Line>
  readonly campaigns: ReadonlyArray<Campaign>
  readonly days: Days
  readonly unreadable: ReadonlyArray<Unreadable>
  readonly unread: UnreadCampaigns | undefined
}

/** The part of a report that is still to be read. */
export interface UnreadCampaigns extends Unread {
  /** Campaigns whose statistics are not read to their end. */
  readonly campaigns: number
}

/** Reads what a report needs and is not kept yet, and makes its lines. */
export const readReport = Effect.fn("readReport")(function* (request: ReportRequest, patience: Patience) {
  const { choose = (campaigns) => campaigns, isByDay = false, isCompared = false, level, period } = request
  const statistics = yield* KeptStatistics
  const { adverts, unreadable } = yield* statistics.campaigns()
  const whole: Period = isCompared ? { from: periodBefore(period).from, to: period.to } : period
  const campaigns = choose(adverts)
    .filter((campaign) => mayHaveRunSince(campaign, whole.from))
    .toSorted((a, b) => Number(b.status === status.active) - Number(a.status === status.active) || a.id - b.id)
  const clusters = level === "cluster" ? yield* clusterLines(request, campaigns, patience) : undefined
  const ids = campaigns.map(({ id }) => id)
  const { statistics: days, unread } = yield* statistics.days(ids, whole, patience)
  const wholeDates = daysOf(whole)
  const ready = campaigns.filter((campaign) => isComplete(campaign, days, wholeDates))
  const dates = daysOf(period)
  const base = { campaigns, days, unreadable }
  const unreadOf = (left: Unread | undefined, count: number) =>
    left === undefined ? undefined : { ...left, campaigns: count, of: campaigns.length }
  if (clusters !== undefined) {
    const averages = new Map(campaigns.map((campaign) => [campaign.id, averageOrder(campaign, days, dates)]))
    const report: Report = {
      ...base,
      lines: clusters.linesWith((id, nm_id) => averages.get(id)?.(nm_id)),
      unread: unreadOf(clusters.unread ?? unread, 0)
    }
    return report
  }
  const linesIn = (some: ReadonlyArray<string>): ReadonlyArray<Line> =>
    ready.flatMap((campaign) => (level === "campaign" ? campaignLine : articleLines)(campaign, days, some))
  const lines = isByDay
    ? ready.flatMap((campaign) => (level === "campaign" ? campaignDayLines : articleDayLines)(campaign, days, dates))
    : linesIn(dates)
  const before = isCompared && !isByDay ? linesIn(daysOf(periodBefore(period))) : []
  const report: Report = {
    ...base,
    lines: yield* named(compared(lines, before, isCompared)),
    unread: unreadOf(unread, campaigns.length - ready.length)
  }
  return report
})

const lineKey = ({ id, nm_id, query }: Line): string => `${id}:${nm_id ?? ""}:${query ?? ""}`

/** Lines with what was there in the period before; what is there no more has a line of its own. */
const compared = (
  lines: ReadonlyArray<Line>,
  before: ReadonlyArray<Line>,
  isCompared: boolean
): ReadonlyArray<Line> => {
  if (!isCompared) return lines
  const earlier = new Map(before.map((line) => [lineKey(line), line]))
  const present = lines.map((line) => {
    const one = earlier.get(lineKey(line))
    earlier.delete(lineKey(line))
    return one === undefined ? line : { ...line, before: one.metrics }
  })
  return [...present, ...[...earlier.values()].map((line) => ({ ...line, metrics: noMetrics, before: line.metrics }))]
}

const named = Effect.fnUntraced(function* (lines: ReadonlyArray<Line>) {
  const statistics = yield* KeptStatistics
  const nms = [
    ...new Set(lines.flatMap(({ name, nm_id }) => (name === undefined && nm_id !== undefined ? [nm_id] : [])))
  ]
  const names = yield* statistics.names(nms)
  return lines.map((line) => {
    const name = line.nm_id === undefined ? undefined : names.get(line.nm_id)
    return name === undefined || line.query !== undefined ? line : { ...line, name }
  })
})

type AverageOrder = (advert_id: number, nm_id: number) => number | undefined

/** The clusters of all articles of campaigns, whose revenue is estimated later. */
const clusterLines = Effect.fnUntraced(function* (
  { isByDay = false, isCompared = false, period }: ReportRequest,
  campaigns: ReadonlyArray<Campaign>,
  patience: Patience
) {
  const statistics = yield* KeptStatistics
  const pairs = pairsOf(campaigns)
  const linesOf = (rowsOf: (pair: Pair) => ReadonlyArray<ClusterRow>, average: AverageOrder) =>
    campaigns.flatMap((campaign) =>
      articlesOf(campaign).flatMap(({ nm_id }) =>
        rowsOf({ advert_id: campaign.id, nm_id }).map((row) =>
          clusterLine(campaign, nm_id, row, average(campaign.id, nm_id))
        )
      )
    )
  if (isByDay) {
    const { statistics: clustersOn, unread } = yield* statistics.clusterDays(pairs, period, patience)
    const linesWith = (average: AverageOrder) =>
      daysOf(period).flatMap((day) =>
        linesOf((pair) => clustersOn.on(pair, day), average).map((line) => ({ ...line, day }))
      )
    return { linesWith, unread }
  }
  const over = Effect.fnUntraced(function* (some: Period) {
    const parts = yield* Effect.forEach(spans(some.from, some.to, caps.clusterStatsDays), (part) =>
      statistics.clusters(pairs, part, patience)
    )
    const rowsOf = (pair: Pair) => joinedClusters(parts.map(({ statistics: some }) => some.of(pair)))
    return { rowsOf, unread: parts.find(({ unread }) => unread !== undefined)?.unread }
  })
  const now = yield* over(period)
  const before = isCompared ? yield* over(periodBefore(period)) : undefined
  const linesWith = (average: AverageOrder) =>
    compared(linesOf(now.rowsOf, average), before === undefined ? [] : linesOf(before.rowsOf, average), isCompared)
  return { linesWith, unread: now.unread ?? before?.unread }
})

/** The most days of a report: the marketplace tells three months. */
const mostDays = 92

/** The problem of a period that cannot be reported on: the argument, and what is wrong with it. */
export const periodProblem = (period: Period): readonly [argument: "from" | "to", problem: string] | undefined => {
  const length = lengthOf(period)
  if (length < 1) return ["from", `must not be after to: ${period.from} is after ${period.to}`]
  return length > mostDays ? ["from", `must be at most ${mostDays} days before to, and is ${length}`] : undefined
}
