import { Cron, Predicate, Result } from "effect"

import { schedulesIn } from "../../operator/health/schedules.ts"
import type { NodeDifference } from "../../operator/proof/compare.ts"
import type { RewrittenPart } from "../../upgrade/rewrites/rewrites.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"

/** Times that are compared. */
const count = 100

/** The comparison of the times of an old trigger and a new one. */
interface ComparedTimes {
  readonly difference: NodeDifference | undefined
  readonly note: string
}

/**
 * Compares the next times of an old trigger with those of the new one, in the zone of the workflow; of one that counts from its
 * activation, the time between them. Undefined where a part is no schedule, or its rules can only be evaluated by the engine.
 */
export const comparedTimes = (
  before: Workflow,
  after: Workflow,
  { entry, node = "", rule }: RewrittenPart,
  now: number
): ComparedTimes | undefined => {
  if (rule !== "U3-cron" && rule !== "U3-interval") return undefined
  const zone = zoneOf(before)
  const isInterval = rule === "U3-interval"
  const timesOf = (workflow: Workflow, name: string | undefined) => {
    const { rules, unread } = schedulesIn(workflow.nodes.filter((one) => nameOf(one) === name))
    const times = rules.map(({ cron, every }) => timesBy(cron, every, isInterval ? "UTC" : zone, now))
    return unread > 0 || times.length === 0 || times.some((one) => one.length < count) ? undefined : times
  }
  const [old, next] = [timesOf(before, node), timesOf(after, entry)]
  if (old === undefined || next === undefined) return undefined
  const shownOld = isInterval ? old.map(gaps) : old
  const shownNew = isInterval ? next.map(gaps) : next
  const places = shownOld.flatMap((times, index) =>
    times.flatMap((time, at) =>
      shownNew[index]?.[at] === time ? [] : [{ expected: time, got: shownNew[index]?.[at] }]
    )
  )
  const [first] = places
  const differing = first ?? (old.length === next.length ? undefined : { expected: old.length, got: next.length })
  return {
    difference:
      differing === undefined ? undefined : { node, path: isInterval ? "seconds between runs" : "time", ...differing },
    note: isInterval
      ? `${node}: the same time between its next ${count} runs, from the clock instead of from the activation`
      : `${node}: the same next ${count} times`
  }
}

/** The zone of a workflow; where it has none, that of its instance, which is the same before and after. */
const zoneOf = ({ settings }: Workflow): string => {
  const zone = settings?.["timezone"]
  return Predicate.isString(zone) && zone !== "DEFAULT" && Result.isSuccess(Cron.parse("* * * * *", zone))
    ? zone
    : "UTC"
}

/** Every nth occurrence of an expression from a moment on, as ISO text. */
const timesBy = (expression: string, every: number, zone: string, now: number): ReadonlyArray<string> => {
  const cron = Cron.parse(expression, zone)
  if (Result.isFailure(cron)) return []
  const times: Array<string> = []
  let time = new Date(now)
  for (let occurrence = 0; times.length < count; occurrence++) {
    const next = Result.try(() => Cron.next(cron.success, time))
    if (Result.isFailure(next)) break
    time = next.success
    if (occurrence % every === 0) times.push(time.toISOString())
  }
  return times
}

const gaps = (times: ReadonlyArray<string>): ReadonlyArray<number> =>
  times.slice(1).map((time, index) => (Date.parse(time) - Date.parse(times[index] ?? "")) / 1000)
