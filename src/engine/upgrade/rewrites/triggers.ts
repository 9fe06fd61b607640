import { Predicate, Result, Struct } from "effect"

import { type JsonObject, listOf, objectOf, objectsOf } from "../../../internal/schema/JsonObject.ts"
import { engineName } from "../../workflow/naming.ts"
import { isEnabled } from "../../workflow/triggers.ts"
import {
  left,
  type Left,
  parametersOf,
  type Rewrite,
  withoutNode,
  withSuccessor,
  withSuccessorAndNode
} from "./Rewrite.ts"

/** The start of the editor; a disabled one only takes up room. */
export const rewriteStart: Rewrite = (graph, node, around) => {
  if (!isEnabled(node)) return Result.succeed({ graph: withoutNode(graph, node), conditions: [] })
  const successor =
    around.callers.length === 0
      ? { kind: "manualTrigger", typeVersion: 1, parameters: {} }
      : { kind: "executeWorkflowTrigger", typeVersion: 1.1, parameters: { inputSource: "passthrough" } }
  const emits = around.callers.length === 0 ? { emits: [{}] } : {}
  return Result.map(withSuccessor(graph, node, successor, around), (rewritten) => ({ ...rewritten, ...emits }))
}

/** A node that gives out one empty item for each one, as the old triggers did. */
const empty = {
  kind: "set",
  typeVersion: 3.4,
  parameters: { assignments: { assignments: [] }, options: {} }
}

/** A schedule behind which the item is emptied, as old triggers gave out none of the fields of new ones. */
const scheduled = (
  graph: Parameters<Rewrite>[0],
  node: JsonObject,
  interval: ReadonlyArray<JsonObject>,
  around: Parameters<Rewrite>[2]
) => {
  const first = { kind: "scheduleTrigger", typeVersion: 1.2, parameters: { rule: { interval } } }
  return Result.map(
    withSuccessorAndNode(graph, node, { first, behind: empty, suffix: "schedule" }, around),
    (rewritten) => ({ ...rewritten, emits: [{}] })
  )
}

export const rewriteCron: Rewrite = (graph, node, around) =>
  Result.gen(function* () {
    const times = objectsOf(objectOf(parametersOf(node).triggerTimes).item)
    if (times.length === 0) return yield* left("it has no times")
    const interval = yield* Result.all(times.map(ofTime))
    return yield* scheduled(graph, node, interval, around)
  })

/** A number as Cron nodes hold them, between these. */
const number = (value: unknown, least: number, most: number): Result.Result<number, Left> => {
  const read = Predicate.isString(value) && /^\d+$/.test(value) ? Number(value) : value
  return Predicate.isNumber(read) && Number.isInteger(read) && read >= least && read <= most
    ? Result.succeed(read)
    : left(`its times hold ${JSON.stringify(value) ?? "nothing"}, which is no whole number from ${least} to ${most}`)
}

/** The rule of a Schedule Trigger for one time of a Cron node. */
const ofTime = (time: JsonObject): Result.Result<JsonObject, Left> =>
  Result.gen(function* () {
    const {
      cronExpression,
      dayOfMonth = 1,
      hour = 14,
      minute = 0,
      mode = "everyDay",
      unit = "hours",
      value = 2,
      weekday = "1"
    } = time
    const at = Result.all({ triggerAtHour: number(hour, 0, 23), triggerAtMinute: number(minute, 0, 59) })
    switch (mode) {
      case "everyMinute":
        return { field: "minutes", minutesInterval: 1 }
      case "everyHour":
        return { field: "hours", hoursInterval: 1, triggerAtMinute: yield* number(minute, 0, 59) }
      case "everyDay":
        return { field: "days", daysInterval: 1, ...(yield* at) }
      case "everyWeek":
        return { field: "weeks", weeksInterval: 1, triggerAtDay: [yield* number(weekday, 0, 6)], ...(yield* at) }
      case "everyMonth":
        return {
          field: "months",
          monthsInterval: 1,
          triggerAtDayOfMonth: yield* number(dayOfMonth, 1, 31),
          ...(yield* at)
        }
      case "everyX": {
        const every = yield* number(value, 1, 1000)
        if (unit === "minutes") return ofMinutes(every)
        return unit === "hours"
          ? cron(`0 */${every} * * *`)
          : yield* left(`its unit ${JSON.stringify(unit)} is not known`)
      }
      case "custom":
        return Predicate.isString(cronExpression) && cronExpression.trim() !== "" && !cronExpression.startsWith("=")
          ? cron(cronExpression.trim())
          : yield* left("its cron expression is not in the workflow")
      default:
        return yield* left(`its mode ${JSON.stringify(mode)} is not known`)
    }
  })

const cron = (expression: string): JsonObject => ({ field: "cronExpression", expression })

/** Newer Schedule Triggers space other minutes evenly across the hours, which old nodes did not. */
const ofMinutes = (every: number): JsonObject =>
  60 % every === 0 && every < 60 ? { field: "minutes", minutesInterval: every } : cron(`*/${every} * * * *`)

/** The rhythm of an Interval node, where a clock can keep it: the old one counted from its activation. */
export const rewriteInterval: Rewrite = (graph, node, around) =>
  Result.gen(function* () {
    const { interval = 1, unit = "seconds" } = parametersOf(node)
    const whole = unit === "hours" ? 24 : 60
    const isKept =
      Predicate.isNumber(interval) &&
      Number.isInteger(interval) &&
      interval >= 1 &&
      interval < whole &&
      whole % interval === 0
    if (!isKept) {
      return yield* left(
        `every ${JSON.stringify(interval)} ${JSON.stringify(unit)} is a rhythm that no schedule by the clock keeps: say in a Schedule Trigger what is wanted`
      )
    }
    const rules: Readonly<Record<string, JsonObject>> = {
      seconds: { field: "seconds", secondsInterval: interval },
      minutes: { field: "minutes", minutesInterval: interval },
      hours: cron(`0 */${interval} * * *`)
    }
    const rule = Predicate.isString(unit) && Object.hasOwn(rules, unit) ? rules[unit] : undefined
    if (rule === undefined) return yield* left(`its unit ${JSON.stringify(unit)} is not known`)
    return yield* scheduled(graph, node, [rule], around)
  })

const events = new Set<unknown>(["activate", "update"])

export const rewriteWorkflowTrigger: Rewrite = (graph, node, around) => {
  const given = listOf(parametersOf(node).events)
  const odd = given.find((one) => !events.has(one))
  if (given.length === 0 || odd !== undefined) {
    return left(
      odd === undefined ? "it names no events" : `its event ${JSON.stringify(odd)} has no equal that is known`
    )
  }
  const successor = { kind: `${engineName}Trigger`, typeVersion: 1, parameters: { events: given } }
  return withSuccessor(graph, node, successor, around, ["nobody has compared the items of both triggers"])
}

/** The policy for calls by other workflows: those that call it now, else all of the same owner. */
export const rewriteCallerPolicy: Rewrite = (graph, _node, { callers, takesCallerPolicy }) => {
  if (!takesCallerPolicy) return left("the API of the present engine refuses the setting: change it in the editor")
  const policy =
    callers.length === 0
      ? { callerPolicy: "workflowsFromSameOwner" }
      : { callerPolicy: "workflowsFromAList", callerIds: callers.join(",") }
  return Result.succeed({
    graph: { ...graph, settings: { ...Struct.omit(graph.settings, ["callerIds"]), ...policy } },
    conditions: []
  })
}
