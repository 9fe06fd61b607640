import { Cron, Predicate, Result } from "effect"

import { BoundedCache } from "../../../internal/caching.ts"
import { type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { isEnabled, kindOf } from "../../workflow/triggers.ts"

/** One rule of a schedule: every occurrence of a cron expression, or every nth of them. */
interface Rule {
  readonly cron: string
  readonly every: number
  /** Whether only the frequency is given: the engine chooses the minute, or the hour, at activation. */
  readonly isLoose: boolean
}

/** The schedules of a workflow; `unread` counts rules that only the engine can evaluate. */
export interface Schedules {
  readonly rules: ReadonlyArray<Rule>
  readonly unread: number
}

/** The schedules of these nodes. */
export const schedulesIn = (nodes: ReadonlyArray<JsonObject>): Schedules => {
  const rulesRead = nodes.filter(isEnabled).flatMap(rulesOf)
  const rules = rulesRead.filter((rule) => rule !== undefined)
  return { rules, unread: rulesRead.length - rules.length }
}

const rulesOf = (node: JsonObject): ReadonlyArray<Rule | undefined> => {
  const parameters = objectOf(node.parameters)
  switch (kindOf(node)) {
    case "scheduleTrigger": {
      const entries = listOf(objectOf(parameters.rule).interval).map(objectOf)
      return (entries.length === 0 ? [{}] : entries).map(ofInterval)
    }
    case "cron":
      return listOf(objectOf(parameters.triggerTimes).item).map((item) => ofMode(objectOf(item)))
    case "interval":
      return [ofUnit(parameters.unit ?? "seconds", parameters.interval ?? 1)]
    default:
      return []
  }
}

/** A rule of the schedule trigger; undefined if it holds an expression, which only the engine can evaluate. */
const ofInterval = (entry: JsonObject): Rule | undefined => {
  const minute = partOf(entry.triggerAtMinute ?? 0, 0, 59)
  const hour = partOf(entry.triggerAtHour ?? 0, 0, 23)
  switch (entry.field ?? "days") {
    case "cronExpression":
      return rule(entry.expression)
    case "seconds":
      return stepped(entry.secondsInterval ?? 30, (n) => rule(`*/${n} * * * * *`))
    case "minutes":
      return stepped(entry.minutesInterval ?? 5, (n) => loose(rule(`0 */${n} * * * *`)))
    case "hours":
      return stepped(entry.hoursInterval ?? 1, (n) => at(minute, entry, rule(`0 ${minute ?? 0} */${n} * * *`)))
    case "days":
      return stepped(entry.daysInterval ?? 1, (n) => at(minute, entry, rule(`0 ${minute ?? 0} ${hour ?? 0} * * *`, n)))
    case "weeks": {
      const days = listOf(entry.triggerAtDay).map(Number).filter(Number.isInteger)
      const onDays = days.length === 0 ? "*" : days.join(",")
      return stepped(entry.weeksInterval ?? 1, (n) =>
        at(minute, entry, rule(`0 ${minute ?? 0} ${hour ?? 0} * * ${onDays}`, n))
      )
    }
    case "months":
      return stepped(entry.monthsInterval ?? 1, (n) =>
        at(
          minute,
          entry,
          rule(`0 ${minute ?? 0} ${hour ?? 0} ${partOf(entry.triggerAtDayOfMonth ?? 1, 1, 31) ?? 1} */${n} *`)
        )
      )
    default:
      return undefined
  }
}

/** The rule, which is loose where the minute or the hour is left out: engines choose one of their own. */
const at = (minute: number | undefined, entry: JsonObject, exactRule: Rule | undefined): Rule | undefined => {
  if (exactRule === undefined || minute === undefined) return undefined
  const isHourly = entry.field === "hours"
  const isTold = entry.triggerAtMinute !== undefined && (isHourly || entry.triggerAtHour !== undefined)
  return isTold ? exactRule : loose(exactRule)
}

const loose = (exactRule: Rule | undefined): Rule | undefined => exactRule && { ...exactRule, isLoose: true }

const partOf = (value: unknown, least: number, most: number): number | undefined => {
  const number = Number(value)
  return Number.isInteger(number) && number >= least && number <= most ? number : undefined
}

const stepped = (value: unknown, make: (n: number) => Rule | undefined): Rule | undefined => {
  const n = Number(value)
  return Number.isInteger(n) && n >= 1 ? make(n) : undefined
}

const rule = (cron: unknown, every = 1): Rule | undefined =>
  Predicate.isString(cron) && isValid(cron) ? { cron, every, isLoose: false } : undefined

/** Whether an expression is one; many workflows have the same. */
const isValid = (cron: string): boolean => valid.keep(cron, () => Result.isSuccess(Cron.parse(cron)))

const valid = new BoundedCache<boolean>(10_000)

/** The modes of the old cron node. */
const ofMode = (item: JsonObject): Rule | undefined => {
  const { dayOfMonth = 1, hour = 14, minute = 0, weekday = "1" } = item
  const time = `0 ${String(minute)} ${String(hour)}`
  switch (item.mode ?? "everyDay") {
    case "custom":
      return rule(item.cronExpression)
    case "everyMinute":
      return loose(rule("0 * * * * *"))
    case "everyHour":
      return rule(`0 ${String(minute)} * * * *`)
    case "everyDay":
      return rule(`${time} * * *`)
    case "everyWeek":
      return rule(`${time} * * ${String(weekday)}`)
    case "everyMonth":
      return rule(`${time} ${String(dayOfMonth)} * *`)
    case "everyX":
      return stepped(item.value ?? 2, (n) => {
        const isOfMinutes = item.unit === "minutes"
        return item.unit === undefined || item.unit === "hours" || isOfMinutes
          ? loose(rule(isOfMinutes ? `0 */${n} * * * *` : `0 0 */${n} * * *`))
          : undefined
      })
    default:
      return undefined
  }
}

const ofUnit = (unit: unknown, value: unknown): Rule | undefined =>
  stepped(value, (n) => {
    const places: Readonly<Record<string, string>> = {
      seconds: "* * * * * *",
      minutes: "0 * * * * *",
      hours: "0 0 * * * *"
    }
    const every = rule(places[String(unit)], n)
    return loose(every)
  })

/** A stretch of time, in milliseconds. */
interface Span {
  readonly from: number
  readonly to: number
}

/** Occurrences that are counted of one rule at most. */
const most = 100

const offset = (hours: number): string => `${hours < 0 ? "-" : "+"}${String(Math.abs(hours)).padStart(2, "0")}:00`

/** Hours between the zones of the earth, one of which an engine is in. */
const zones = Array.from({ length: 27 }, (_, index) => offset(index - 12))

/** Whether a rule holds at every hour of every day, so that zones whole hours apart make no difference. */
const isOfAnyHour = ({ cron }: Rule): boolean =>
  cron
    .trim()
    .split(/\s+/)
    .slice(-4)
    .every((part) => part === "*" || part === "*/1")

/**
 * The least number of runs in a span by these rules, whatever is not known: the zone where none is given, the minute where
 * the engine chooses it, which of every n occurrences counts. `since` is the start of counting, later than that of the span
 * where it holds too many.
 */
export const leastRuns = (
  { rules }: Schedules,
  zone: string | undefined,
  span: Span
): { readonly count: number; readonly since: number } => {
  const tried = zone === undefined ? (rules.every(isOfAnyHour) ? ["UTC"] : zones) : [zone]
  const counts = tried.map((one) => countIn(rules, one, span))
  const fewest = counts.reduce((a, b) => (b.count < a.count ? b : a))
  return { count: fewest.count, since: Math.max(...counts.map(({ since }) => since)) }
}

const countIn = (rules: ReadonlyArray<Rule>, zone: string, span: Span) => {
  const each = rules.map((one) => occurrences(one, zone, span))
  const since = Math.max(
    span.from,
    ...each.map((times) => (times.length > most ? (times[most - 1] ?? span.from) : span.from))
  )
  const count = rules.reduce((sum, { every, isLoose }, index) => {
    const inside = (each[index] ?? []).filter((time) => time >= since).length
    return sum + Math.max(Math.floor((inside - (isLoose || every > 1 ? 1 : 0)) / every), 0)
  }, 0)
  return { count, since }
}

/** Moments of a rule within a span, the latest first, one more than are counted. */
const occurrences = (rule: Rule, zone: string, { from, to }: Span): ReadonlyArray<number> =>
  moments.keep(`${rule.cron} ${zone} ${from} ${to}`, () => {
    const parsed = Cron.parse(rule.cron, zone)
    if (Result.isFailure(parsed)) return []
    const times: Array<number> = []
    for (let time = to; times.length <= most;) {
      const before = Result.try(() => Cron.prev(parsed.success, new Date(time)).getTime())
      if (Result.isFailure(before) || before.success < from) break
      times.push(before.success)
      time = before.success
    }
    return times
  })

/** Many workflows run at the same times, and a moment takes longer to find than all else that is done with it. */
const moments = new BoundedCache<ReadonlyArray<number>>(200_000, (times) => times.length + 1)

/**
 * The moment by which one run at least is certain after a former one at `start`; undefined if none ever is. Of the zones of the
 * earth, those count in which the former one was due as well.
 */
export const dueAfter = ({ rules }: Schedules, zone: string | undefined, start: number): number | undefined => {
  const tried = zone === undefined ? (rules.every(isOfAnyHour) ? ["UTC"] : zones) : [zone]
  const fitting =
    tried.length === 1
      ? tried
      : tried.filter((one) =>
          rules.some((rule) => occurrences(rule, one, { from: start - lateMs, to: start + 1000 }).length > 0)
        )
  const due = (fitting.length === 0 ? tried : fitting).map((one) =>
    Math.min(...rules.map((rule) => nextCertain(rule, one, start)))
  )
  const latest = Math.max(...due)
  return Number.isFinite(latest) ? latest : undefined
}

/** Milliseconds by which a run may begin after its moment. */
const lateMs = 60_000

/** The moment of the occurrence by which one run of a rule is certain. */
const nextCertain = ({ cron, every, isLoose }: Rule, zone: string, start: number): number => {
  const [time = Infinity] = moments.keep(`next ${cron} ${every} ${zone} ${start}`, () => {
    const parsed = Cron.parse(cron, zone)
    if (Result.isFailure(parsed)) return []
    let time = start
    for (let left = every + (isLoose || every > 1 ? 1 : 0); left > 0; left--) {
      const after = Result.try(() => Cron.next(parsed.success, new Date(time)).getTime())
      if (Result.isFailure(after)) return []
      time = after.success
    }
    return [time]
  })
  return time
}
