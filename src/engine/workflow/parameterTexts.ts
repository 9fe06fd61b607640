import { Predicate } from "effect"

import { oneLine } from "../../internal/foreignText.ts"
import { isJsonObject, type JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"

/** A value as a person reads it: an expression without its wrapping, a picked thing by its name. */
export const valueText = (value: unknown): string => {
  if (value === undefined || value === null) return ""
  if (isJsonObject(value) && "value" in value) {
    const { cachedResultName } = value
    return Predicate.isString(cachedResultName) && cachedResultName !== "" ? cachedResultName : valueText(value.value)
  }
  if (!Predicate.isString(value)) return JSON.stringify(value) ?? ""
  const line = oneLine(value)
  const whole = /^=\s*\{\{((?:(?!\}\}).)*)\}\}$/.exec(line)?.[1]
  return whole === undefined ? line.replace(/^=/, "") : whole.trim()
}

/** Operations that have a sign; the others stand by their names. */
const signs: Readonly<Record<string, string>> = {
  equals: "=",
  equal: "=",
  notEquals: "≠",
  notEqual: "≠",
  gt: ">",
  larger: ">",
  lt: "<",
  smaller: "<",
  gte: "≥",
  largerEqual: "≥",
  lte: "≤",
  smallerEqual: "≤",
  regex: "matches",
  notRegex: "does not match",
  notContains: "does not contain",
  notExists: "does not exist",
  empty: "is empty",
  isEmpty: "is empty",
  notEmpty: "is not empty",
  isNotEmpty: "is not empty",
  true: "is true",
  false: "is false",
  startsWith: "starts with",
  endsWith: "ends with"
}

/** Operations without a second value. */
const alone = new Set(["exists", "notExists", "empty", "isEmpty", "notEmpty", "isNotEmpty", "true", "false"])

const conditionText = (left: unknown, operation: unknown, right: unknown): string => {
  const name = Predicate.isString(operation) ? operation : "equals"
  const sign = Object.hasOwn(signs, name) ? signs[name] : name.replaceAll(/([A-Z])/g, " $1").toLowerCase()
  const value = Predicate.isString(right) && !right.startsWith("=") ? JSON.stringify(right) : valueText(right)
  return [valueText(left), sign, ...(alone.has(name) ? [] : [value])].join(" ").trim()
}

/** The conditions of a branch, joined as they hold together. */
export const conditionsText = (holder: unknown, combineOperation?: unknown): string => {
  if (!isJsonObject(holder)) return ""
  const { combinator, conditions } = holder
  if (Array.isArray(conditions)) {
    const words = conditions
      .filter(isJsonObject)
      .map(({ leftValue, operator, rightValue }) =>
        conditionText(leftValue, isJsonObject(operator) ? operator.operation : operator, rightValue)
      )
    return words.join(combinator === "or" ? " or " : " and ")
  }
  const words = Object.entries(holder).flatMap(([type, list]) =>
    objectsOf(list).map((condition) => formerConditionText(type, condition))
  )
  return words.join(combineOperation === "any" ? " or " : " and ")
}

/** The form of the first version: lists by type. */
const formerConditionText = (type: string, { operation, value1, value2 }: JsonObject): string =>
  conditionText(value1, operation ?? (type === "number" ? "smaller" : "equal"), value2)

/** When a schedule starts its workflow: `every day at 9:00`, `weekdays at 9:00`, `every 5 minutes`. */
export const scheduleText = (parameters: JsonObject): string => {
  const { rule, triggerTimes } = parameters
  const intervals = itemsIn(rule, "interval")
  const rules = intervals.length > 0 ? intervals.map(ruleText) : itemsIn(triggerTimes, "item").map(formerRuleText)
  return rules.length === 0 ? "every day at 0:00" : rules.join("; ")
}

const itemsIn = (holder: unknown, name: string): ReadonlyArray<JsonObject> => objectsOf(objectOf(holder)[name])

const numberIn = (rule: JsonObject, name: string, standard: number): number | string => {
  const value = rule[name]
  if (Predicate.isNumber(value)) return value
  return Predicate.isString(value) && value !== "" ? value : standard
}

const ruleText = (rule: JsonObject): string => {
  const count = (name: string, standard = 1) => numberIn(rule, name, standard)
  const time = clock(count("triggerAtHour", 0), count("triggerAtMinute", 0))
  switch (rule.field) {
    case "seconds":
      return every(count("secondsInterval", 30), "second")
    case "minutes":
      return every(count("minutesInterval", 5), "minute")
    case "hours": {
      const minute = count("triggerAtMinute", 0)
      return `${every(count("hoursInterval"), "hour")}${minute === 0 ? "" : ` at minute ${minute}`}`
    }
    case "weeks": {
      const given = Array.isArray(rule.triggerAtDay) ? rule.triggerAtDay : [0]
      const weeks = count("weeksInterval")
      return `${weeks === 1 ? "" : `${every(weeks, "week")} on `}${dayText(given.map(Number))} at ${time}`
    }
    case "months":
      return `${every(count("monthsInterval"), "month")} on day ${count("triggerAtDayOfMonth")} at ${time}`
    case "cronExpression":
      return cronText(Predicate.isString(rule.expression) ? rule.expression : "")
    default:
      return `${every(count("daysInterval"), "day")} at ${time}`
  }
}

/** The rules of the node that was there before. */
const formerRuleText = (rule: JsonObject): string => {
  const time = clock(numberIn(rule, "hour", 14), numberIn(rule, "minute", 0))
  switch (rule.mode) {
    case "everyMinute":
      return "every minute"
    case "everyHour":
      return `every hour at minute ${numberIn(rule, "minute", 0)}`
    case "everyX":
      return every(numberIn(rule, "value", 2), Predicate.isString(rule.unit) ? rule.unit.replace(/s$/, "") : "hour")
    case "everyWeek":
      return `${dayText([Number(rule.weekday ?? 1)])} at ${time}`
    case "everyMonth":
      return `every month on day ${numberIn(rule, "dayOfMonth", 1)} at ${time}`
    case "custom":
      return cronText(Predicate.isString(rule.cronExpression) ? rule.cronExpression : "")
    default:
      return `every day at ${time}`
  }
}

const every = (count: number | string, unit: string) => (count === 1 ? `every ${unit}` : `every ${count} ${unit}s`)

const clock = (hour: number | string, minute: number | string) => `${hour}:${String(minute).padStart(2, "0")}`

const days = ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"]

const dayText = (given: ReadonlyArray<number>): string => {
  const wanted = [...new Set(given.map((day) => day % 7))].toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7))
  const key = wanted.join()
  if (key === "1,2,3,4,5") return "weekdays"
  if (wanted.length === 7) return "every day"
  return key === "6,0" ? "weekends" : wanted.map((day) => days[day] ?? `day ${day}`).join(", ")
}

/** A cron expression, in words where it only says times of the day and days of the week. */
const cronText = (expression: string): string => {
  const cron = `cron ${expression.trim()}`
  const fields = expression.trim().split(/\s+/)
  const [minute = "", hour = "", dayOfMonth, month, dayOfWeek = ""] = fields.length === 6 ? fields.slice(1) : fields
  const isPlain =
    (fields.length === 5 || (fields.length === 6 && fields[0] === "0")) && dayOfMonth === "*" && month === "*"
  if (!isPlain) return cron
  const words = daysOfCron(dayOfWeek)
  if (words !== undefined && /^\d+$/.test(minute) && /^\d+$/.test(hour)) {
    return `${words} at ${clock(Number(hour), Number(minute))} (${cron})`
  }
  const step = /^\*\/(\d+)$/.exec(minute)?.[1]
  return hour === "*" && dayOfWeek === "*" && step !== undefined ? `${every(Number(step), "minute")} (${cron})` : cron
}

const shortDays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

const daysOfCron = (field: string): string | undefined => {
  if (field === "*" || field === "?") return "every day"
  const parts = field.split(",").map((part) => /^(\w+)(?:-(\w+))?$/.exec(part))
  const given = parts.flatMap((part) => {
    if (part === null) return [Number.NaN]
    const [from, to] = [dayNumber(part[1] ?? ""), dayNumber(part[2] ?? part[1] ?? "")]
    return from <= to && to <= 7 ? Array.from({ length: to - from + 1 }, (_, place) => from + place) : [Number.NaN]
  })
  return given.some(Number.isNaN) ? undefined : dayText(given)
}

const dayNumber = (text: string): number => {
  const named = shortDays.indexOf(text.toLowerCase().slice(0, 3))
  return named >= 0 ? named : /^[0-7]$/.test(text) ? Number(text) : Number.NaN
}
