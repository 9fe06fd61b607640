import { Clock, Effect, Option, Schema } from "effect"

import { next, whole } from "../../changes/tools/results.ts"
import { reads } from "../../mcp/annotations.ts"
import * as Tool from "../../mcp/Tool.ts"
import { budgetsOf } from "../apply/running.ts"
import { status } from "../client/Campaign.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../client/MarketplaceConfig.ts"
import { foreign } from "../client/money.ts"
import { caps } from "../client/operations.ts"
import { KeptStatistics } from "../report/KeptStatistics.ts"
import { isComplete, type Line } from "../report/lines.ts"
import { kopecks, noMetrics, plus } from "../report/metrics.ts"
import { type Funded, lowBudgets, stoppedAmong, sumsOf, wastersAmong, weekOf } from "../report/overview.ts"
import { dayAfter, daysOf, lastDays } from "../report/period.ts"
import { readReport } from "../report/Reports.ts"
import { patience } from "./deadline.ts"
import { orRefuse } from "./errors.ts"
import { goOn, minutesFor } from "./report.ts"

const rows = Schema.Array(Schema.Record(Schema.String, Schema.Unknown))
const sums = Schema.Record(Schema.String, Schema.Unknown)

const overviewShown = Schema.Struct({
  balance: Schema.NullOr(sums),
  running: whole,
  yesterday: sums,
  week: sums,
  wasters: rows,
  budgets: rows,
  stopped: rows,
  stopped_count: whole,
  unread: Schema.optionalKey(sums),
  next
})

const rubles = (amount: number | null | undefined): number | null => {
  const hundredths = kopecks(amount)
  return hundredths === null ? null : hundredths / 100
}

/** Campaigns whose budgets are read: those that spend most, in as many reads as go out at once. */
const mostBudgets = 4 * caps.budgets

export const overview = Tool.make("ads_overview", {
  title: "Overview",
  description:
    "The morning (сводка): balance, spend and ДРР of yesterday and the week, wasters (сливают бюджет), budgets that run out",
  annotations: reads,
  arguments: {},
  result: overviewShown,
  run: Effect.fn("ads_overview")(function* () {
    const reading = yield* patience
    const ads = yield* MarketplaceAds
    const week = lastDays(yield* Clock.currentTimeMillis, 7)
    // What an earlier call has read of statuses may be an hour old.
    yield* Effect.ignore(KeptStatistics.use((statistics) => statistics.campaigns({ isFresh: true })))
    const balance = Option.getOrUndefined(yield* Effect.option(ads.getAdvBalance()))
    const currency = foreign(balance?.currency)
    const { campaigns, days, lines, unread } = yield* readReport(
      { level: "campaign", period: week, isCompared: true },
      reading
    )
    const ready = campaigns.filter((campaign) => isComplete(campaign, days, daysOf(week)))
    const on = (day: string) =>
      ready.reduce((sum, { id }) => {
        const one = days.dayOf(id, day)
        return one === undefined || one.currency !== undefined ? sum : plus(sum, one.metrics)
      }, noMetrics)
    const daysOfSpending = ({ id = 0 }: Line) =>
      daysOf(week).filter((day) => (days.dayOf(id, day)?.metrics.spent ?? 0) > 0).length
    const spending = lines
      .filter(({ currency, metrics }) => currency === undefined && (metrics.spent ?? 0) > 0)
      .toSorted((a, b) => (b.metrics.spent ?? 0) - (a.metrics.spent ?? 0))
      .slice(0, mostBudgets)
    const budgets = yield* Effect.orElseSucceed(
      budgetsOf(
        ads,
        spending.map(({ id = 0 }) => id)
      ),
      () => new Map<number, number>()
    )
    const funded = spending.flatMap((line): ReadonlyArray<Funded> => {
      const budget = budgets.get(line.id ?? 0)
      return budget === undefined ? [] : [{ line, budget, days: daysOfSpending(line) }]
    })
    const settings = yield* MarketplaceConfig
    return {
      balance:
        balance === undefined
          ? null
          : {
              account: rubles(balance.balance),
              balance: rubles(balance.net),
              bonus: rubles(balance.bonus),
              ...(currency === undefined ? {} : { currency })
            },
      running: campaigns.filter((campaign) => campaign.status === status.active).length,
      yesterday: { day: week.to, ...sumsOf(on(week.to), on(dayAfter(week.to, -1))) },
      week: { ...week, ...weekOf(lines) },
      wasters: wastersAmong(lines),
      budgets: lowBudgets(funded),
      ...stoppedAmong(funded),
      ...(unread === undefined
        ? {}
        : {
            unread: {
              campaigns: unread.campaigns,
              reads: unread.reads,
              minutes: minutesFor(settings, unread, "campaign")
            }
          }),
      next: `${unread === undefined ? "" : `${goOn(settings, unread)} `}ads_report shows more; ads_plan_rules plans against waste, ads_plan_money top-ups, ads_pause_campaign stops what burns.`
    }
  }, orRefuse)
})
