import { Cron, Option, Predicate, Result } from "effect"

import { parseJson } from "../../../internal/json/values.ts"
import { isJsonObject, type JsonObject, listOf, objectOf, textOf } from "../../../internal/schema/JsonObject.ts"
import { nameOf } from "../../workflow/nodes.ts"
import { isEnabled, kindOf } from "../../workflow/triggers.ts"
import type { Catalog } from "../Catalog.ts"
import { isExpression } from "../conditions.ts"
import { type Finding, quoted } from "./Finding.ts"
import { json } from "./shapes.ts"

/** Errors that only occur at run time and that the description of the node type does not show. */
export const checkRuntimeFailures = (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<Finding> =>
  nodes.filter(isEnabled).flatMap((node) => {
    const parameters = objectOf(node.parameters)
    const kind = kindOf(node)
    const problems =
      kind === "httpRequest" || kind === "httpRequestTool" ? unreadable(parameters) : nothingNamed(kind, parameters)
    return problems.map((one): Finding => ({ level: "error", node: nameOf(node), ...one }))
  })

type Problem = Pick<Finding, "field" | "problem" | "fix">

/** A text sent as JSON, and the parameter that says so. */
const sentAsJson = [
  { text: "jsonBody", sends: "sendBody", how: "specifyBody" },
  { text: "jsonQuery", sends: "sendQuery", how: "specifyQuery" },
  { text: "jsonHeaders", sends: "sendHeaders", how: "specifyHeaders" }
]

const unreadable = (parameters: JsonObject): ReadonlyArray<Problem> =>
  sentAsJson.flatMap(({ how, sends, text }) => {
    const value = parameters[text]
    if (parameters[sends] !== true || parameters[how] !== "json") return []
    if (!Predicate.isString(value) || value.trim() === "" || value.startsWith("=") || value.includes("{{")) return []
    // Text that no node can parse is reported for every node.
    if (json(value).length > 0) return []
    if (parameters.contentType !== undefined && parameters.contentType !== "json" && text === "jsonBody") return []
    if (Option.isSome(parseJson(value))) return []
    const fix = 'Names and texts stand in double quotes, and nothing stands behind the last comma: {"a": "b"}'
    return [{ field: `parameters.${text}`, problem: `is no JSON: ${quoted(value)}`, fix }]
  })

const nothingNamed = (kind: string, parameters: JsonObject): ReadonlyArray<Problem> => {
  if (kind === "sort" && (parameters.type ?? "simple") === "simple" && isEmpty(parameters.sortFieldsUi, "sortField")) {
    const fix = 'Name one: {"sortField": [{"fieldName": "…", "order": "ascending"}]}'
    return [{ field: "parameters.sortFieldsUi", problem: "names no field to sort by", fix }]
  }
  if (kind === "summarize" && isEmpty(parameters.fieldsToSummarize, "values")) {
    const fix = 'Name one: {"values": [{"aggregation": "sum", "field": "…"}]}'
    return [{ field: "parameters.fieldsToSummarize", problem: "names no field to summarize", fix }]
  }
  return []
}

const isEmpty = (value: unknown, list: string): boolean => {
  if (value === undefined || value === null) return true
  if (!isJsonObject(value)) return false
  const rows = value[list]
  return rows === undefined || (Array.isArray(rows) && rows.length === 0)
}

const branching = new Set(["if", "filter", "switch"])

/**
 * Conditions that let every item pass, as they do not say how they are combined; and those that do, but not how they compare: on
 * these, engines of generation 1 fail.
 */
export const checkConditions = (
  nodes: ReadonlyArray<JsonObject>,
  catalog: Catalog | undefined
): ReadonlyArray<Finding> => {
  const needsOptions = catalog !== undefined && Number.parseInt(catalog.version, 10) < 2
  return nodes
    .filter((node) => isEnabled(node) && branching.has(kindOf(node)))
    .flatMap((node) =>
      filtersIn(node.parameters, "parameters").flatMap(({ combinator, field, options }): ReadonlyArray<Finding> => {
        const place = { node: nameOf(node), field }
        if (combinator === undefined) return [{ level: "warning", ...place, ...withoutCombinator }]
        return needsOptions && options === undefined ? [{ level: "error", ...place, ...withoutOptions }] : []
      })
    )
}

const withoutCombinator = {
  problem: "has no combinator, without which every item passes, whatever the conditions say",
  fix: 'Add "combinator": "and" or "or"'
}

const withoutOptions = {
  problem: "has no options, without which this engine fails on it",
  fix: 'Add "options": {"caseSensitive": true, "leftValue": "", "typeValidation": "strict", "version": 2}'
}

/** A group of conditions, as newer nodes have it. */
interface Filter {
  readonly field: string
  readonly combinator: unknown
  readonly options: unknown
}

const filtersIn = (value: unknown, path: string): ReadonlyArray<Filter> => {
  if (Array.isArray(value)) return value.flatMap((one, index) => filtersIn(one, `${path}[${index}]`))
  if (!isJsonObject(value)) return []
  const { combinator, conditions, options } = value
  if (Array.isArray(conditions)) return conditions.length === 0 ? [] : [{ field: path, combinator, options }]
  return Object.entries(value).flatMap(([key, one]) => filtersIn(one, `${path}.${key}`))
}

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
