import { Cron, Predicate, Result } from "effect"

import { isJsonObject, type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { nameOf } from "../../workflow/models.ts"
import { isEnabled, kindOf } from "../../workflow/triggers.ts"
import { isExpression } from "../conditions.ts"
import { textOf } from "../json.ts"
import { type Finding, quoted } from "./Finding.ts"

/** Invalid cron expressions, impossible times, and schedules without a rule. */
export const checkSchedules = (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<Finding> =>
  nodes.filter(isEnabled).flatMap((node) => {
    const parameters = objectOf(node.parameters)
    if (kindOf(node) === "scheduleTrigger") return ofSchedule(nameOf(node), parameters)
    if (kindOf(node) !== "cron") return []
    return listOf(objectOf(parameters.triggerTimes).item).flatMap((item, index) => {
      const { cronExpression, mode } = objectOf(item)
      const field = `parameters.triggerTimes.item[${index}].cronExpression`
      return mode === "custom" ? cronProblem(nameOf(node), field, cronExpression) : []
    })
  })

const ofSchedule = (node: string, { rule }: JsonObject): ReadonlyArray<Finding> => {
  if (!isJsonObject(rule)) return []
  const { interval } = rule
  if (!Array.isArray(interval)) return []
  if (interval.length === 0) {
    const fix = 'Give one such as {"field": "days", "triggerAtHour": 9}'
    return [{ level: "error", node, field: "parameters.rule.interval", problem: "has no rule: it never starts", fix }]
  }
  return interval.flatMap((entry: unknown, index) => {
    const rules = objectOf(entry)
    const path = `parameters.rule.interval[${index}]`
    if (rules.field === "cronExpression") return cronProblem(node, `${path}.expression`, rules.expression)
    return ranges.flatMap(([name, least, greatest]): ReadonlyArray<Finding> => {
      const value = rules[name]
      const isOfOther = name.endsWith("Interval") && name !== `${textOf(rules.field ?? "days")}Interval`
      if (value === undefined || value === "" || isOfOther) return []
      const all: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
      const fits = (one: unknown) => isExpression(one) || isBetween(Number(one), least, greatest)
      if (all.every(fits)) return []
      const fix = `It must be a whole number from ${least} to ${greatest}`
      return [{ level: "error", node, field: `${path}.${name}`, problem: `is ${quoted(value)}`, fix }]
    })
  })
}

const isBetween = (value: number, least: number, greatest: number) =>
  Number.isInteger(value) && value >= least && value <= greatest

const ranges = [
  ["triggerAtHour", 0, 23],
  ["triggerAtMinute", 0, 59],
  ["triggerAtDay", 0, 7],
  ["triggerAtDayOfMonth", 1, 31],
  ["secondsInterval", 1, 59],
  ["minutesInterval", 1, 59],
  ["hoursInterval", 1, 23],
  ["daysInterval", 1, 31],
  ["monthsInterval", 1, 1200]
] as const

const cronProblem = (node: string, field: string, expression: unknown): ReadonlyArray<Finding> => {
  if (isExpression(expression) || expression === undefined) return []
  const text = Predicate.isString(expression) ? expression.trim() : ""
  if (text !== "" && (Result.isSuccess(Cron.parse(text)) || aliases.has(text.toLowerCase()))) return []
  const fix =
    "It must be five fields (minute hour day month weekday, such as 0 9 * * 1-5), or six with seconds in front"
  return [{ level: "error", node, field, problem: `${quoted(expression)} is no cron expression`, fix }]
}

const aliases = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
  "@minutely",
  "@secondly"
])
