import { durationOf, isoOf, minuteOf } from "../../../internal/time.ts"
import type { Finding } from "./Finding.ts"
import { expectationOf, type LastChange, type Observation } from "./Observation.ts"
import { isScheduled, noRuns, type Run, type Runs, usualGap } from "./runs.ts"
import { dueAfter, leastRuns } from "./schedules.ts"
import type { WorkflowFacts } from "./workflowFacts.ts"

/** Milliseconds that a run may be late, and by which the checked span is shorter at both ends. */
const slack = 120_000

const [hour, day] = [3_600_000, 86_400_000]

/** Spans in which runs are counted where none is due in the given one: engines keep executions for two weeks. */
const longerSpans = [3 * day, 10 * day]

/** Whether a workflow should run by a schedule that is known, and shows in the records. */
export const isScheduledToRun = ({ active, savesNoSuccess, schedules }: WorkflowFacts): boolean =>
  active && schedules.rules.length > 0 && !savesNoSuccess

/** The span in which a workflow should have run at least once, as far back as its content is the same; the longest where there is none. */
const judgedFrom = (
  { schedules, updatedAt, zone }: WorkflowFacts,
  { from, now }: Pick<Observation, "from" | "now">
): number => {
  const spans = [from, ...longerSpans.map((span) => now - span).filter((start) => start < from)].map((start) =>
    Math.max(start, updatedAt ?? start)
  )
  const isDue = (start: number) =>
    now - slack > start + slack && leastRuns(schedules, zone, { from: start + slack, to: now - slack }).count > 0
  return spans.find(isDue) ?? Math.min(...spans)
}

/** The time since which the runs of a workflow have to be known to tell whether it lacks some; undefined where none is due. */
export const neededSince = (workflow: WorkflowFacts, span: Pick<Observation, "from" | "now">): number | undefined => {
  const from = judgedFrom(workflow, span) + slack
  const to = span.now - slack
  if (to <= from) return undefined
  const { count, since } = leastRuns(workflow.schedules, workflow.zone, { from, to })
  return count === 0 ? undefined : since - slack
}

/** Whether a workflow has no run for certain in ten days: then the runs before its last change say how often it ran. */
export const isSeldom = ({ schedules, zone }: WorkflowFacts, now: number): boolean =>
  [day, ...longerSpans].every((span) => leastRuns(schedules, zone, { from: now - span, to: now }).count === 0)

interface Shortfall {
  readonly expectedAtLeast: number
  readonly ran: number
  readonly since: string
  readonly lastRun?: string
}

const lastRunIn = ([last]: ReadonlyArray<Run>) => (last === undefined ? {} : { lastRun: isoOf(last.startedAt) })

/** The runs that a workflow lacks since a moment by its schedules; undefined where it lacks none. */
const shortfall = (
  { schedules, zone }: WorkflowFacts,
  runs: ReadonlyArray<Run>,
  { areRunningListed, from, now }: { readonly areRunningListed: boolean; readonly from: number; readonly now: number }
): Shortfall | undefined => {
  const span = { from: from + slack, to: now - slack }
  const expected = leastRuns(schedules, zone, span)
  if (span.to <= span.from || expected.count === 0) return undefined
  const since = expected.since - slack
  const scheduled = runs.filter((run) => isScheduled(run) && run.startedAt >= since)
  // Engines that never list what is running may be at the missing run.
  const least = expected.count - (areRunningListed ? 0 : 1)
  return scheduled.length >= least
    ? undefined
    : { expectedAtLeast: expected.count, ran: scheduled.length, since: isoOf(since), ...lastRunIn(scheduled) }
}

/** The shortfall of a workflow since its span begins, or since it was switched on; of one that is watched, since its last run. */
const shortfallOf = (observation: Observation, workflow: WorkflowFacts): Shortfall | undefined => {
  const { activations, isWatched, now, running } = observation
  if (isWatched) return overdueSince(observation, workflow)
  const needed = neededSince(workflow, observation)
  if (needed === undefined || runsOf(observation, workflow.id).since > needed) return undefined
  const from = Math.max(judgedFrom(workflow, observation), activations.get(workflow.id) ?? 0)
  return shortfall(workflow, runsOf(observation, workflow.id).runs, {
    areRunningListed: running !== undefined,
    from,
    now
  })
}

const overdueSince = (observation: Observation, workflow: WorkflowFacts): Shortfall | undefined => {
  const { activations, now, running } = observation
  const { runs, since: knownSince } = runsOf(observation, workflow.id)
  const last = runs.find(isScheduled)
  const start = Math.max(last?.startedAt ?? knownSince, workflow.updatedAt ?? 0, activations.get(workflow.id) ?? 0)
  if (knownSince > start || running?.some(({ workflowId }) => workflowId === workflow.id) === true) return undefined
  const first = dueAfter(workflow.schedules, workflow.zone, start)
  // Engines that never list what is running may be at the missing run.
  const due = first === undefined || running !== undefined ? first : dueAfter(workflow.schedules, workflow.zone, first)
  if (due === undefined || now <= due + slack) return undefined
  return {
    expectedAtLeast: 1,
    ran: 0,
    since: isoOf(start),
    ...(last === undefined ? {} : { lastRun: isoOf(last.startedAt) })
  }
}

const runsOf = ({ runs }: Pick<Observation, "runs">, id: string): Runs => runs.get(id) ?? noRuns

/** A person's expectation in place of the schedule. */
const overdue = (observation: Observation, workflow: WorkflowFacts, everyHours: number): Shortfall | undefined => {
  const since = observation.now - everyHours * hour
  const { runs, since: knownSince } = runsOf(observation, workflow.id)
  const ran = runs.filter(({ mode, startedAt }) => mode !== "manual" && startedAt >= since).length
  const start = Math.max(knownSince, workflow.updatedAt ?? 0, observation.activations.get(workflow.id) ?? 0)
  return ran > 0 || start > since ? undefined : { expectedAtLeast: 1, ran, since: isoOf(since), ...lastRunIn(runs) }
}

/** Active workflows that ran less often than their schedules ask for, or than a person says. */
export const missedRuns = (observation: Observation): ReadonlyArray<Finding> =>
  observation.workflows.flatMap((workflow) => {
    const { everyHours } = expectationOf(observation, workflow)
    const missing =
      everyHours === undefined
        ? isScheduledToRun(workflow) && workflow.triggerProblem === undefined
          ? shortfallOf(observation, workflow)
          : undefined
        : workflow.active
          ? overdue(observation, workflow, everyHours)
          : undefined
    if (missing === undefined) return []
    const reason = whyMissed(observation, workflow, missing)
    const change = observation.lastChanges.get(workflow.id)?.change
    const why = reason.isOfChange && change !== undefined ? `${reason.words}: ${change}` : reason.words
    const since = minuteOf(Date.parse(missing.lastRun ?? missing.since))
    const text =
      missing.ran === 0
        ? `has not run since ${since}, though it was due: ${reason.words}`
        : `ran ${missing.ran} of at least ${missing.expectedAtLeast} times since ${since}: ${reason.words}`
    return [
      {
        kind: "missedSchedules",
        ...about(workflow),
        ...standstillOf(observation, missing),
        text,
        row: { workflow: workflow.name, id: workflow.id, ...missing, why }
      }
    ]
  })

/** The fields of a finding that say which workflow it is about. */
export const about = ({ id, name }: Pick<WorkflowFacts, "id" | "name">) => ({ subject: id, name, workflowId: id })

/** The cause where the engine ran nothing at all since: then each workflow with a schedule lacks its runs. */
const standstillOf = (observation: Observation, { since }: Shortfall): Pick<Finding, "cause"> =>
  isStandstill(observation, since)
    ? { cause: { key: "standstill", words: "The engine runs no workflow by its schedule" } }
    : {}

/** Workflows with a schedule that have to lack runs for it to be the engine's fault. */
const fewestOfStandstill = 3

const isStandstill = ({ runs, workflows }: Observation, since: string): boolean => {
  const scheduled = workflows.filter(isScheduledToRun)
  const from = Date.parse(since)
  return (
    scheduled.length >= fewestOfStandstill &&
    ![...runs.values()].some((one) => one.runs.some((run) => isScheduled(run) && run.startedAt >= from))
  )
}

interface Reason {
  readonly words: string
  /** Whether the last change of the workflow says more. */
  readonly isOfChange: boolean
}

/** The reason of a missed run, as far as the records tell one. */
const whyMissed = (observation: Observation, workflow: WorkflowFacts, { ran, since }: Shortfall): Reason => {
  const underWay = observation.running?.find(({ workflowId }) => workflowId === workflow.id)
  if (underWay !== undefined) {
    const words = `its run ${underWay.id} that began at ${minuteOf(underWay.startedAt)} has not ended`
    return { words, isOfChange: false }
  }
  if (isStandstill(observation, since)) {
    return { words: "the engine started no workflow by a schedule in this time", isOfChange: false }
  }
  const changed = changedBy(workflow, observation.lastChanges.get(workflow.id))
  const last = runsOf(observation, workflow.id).runs.find(isScheduled)
  if (last === undefined && ran === 0) {
    return {
      words: `no run by its schedule is on record, and it was ${changed ?? "not changed"}`,
      isOfChange: changed !== undefined
    }
  }
  if (changed !== undefined && ran === 0 && (workflow.updatedAt ?? 0) > (last?.startedAt ?? 0)) {
    return { words: `it has not run since it was ${changed}`, isOfChange: true }
  }
  return { words: "it is active, and its trigger did not start it; switch it off and on again", isOfChange: false }
}

const changedBy = ({ updatedAt }: WorkflowFacts, change: LastChange | undefined): string | undefined =>
  change === undefined
    ? updatedAt === undefined
      ? undefined
      : `changed at ${minuteOf(updatedAt)}`
    : `changed by ${change.by} at ${minuteOf(Date.parse(change.when))}`

/** Workflows that were changed and have not run since, though they ran at short intervals before: their schedules are rarer ones now. */
export const rarerRuns = (observation: Observation): ReadonlyArray<Finding> => {
  const { lastChanges, now } = observation
  return observation.workflows.flatMap((workflow) => {
    const { updatedAt } = workflow
    if (!isScheduledToRun(workflow) || updatedAt === undefined) return []
    const { runs } = runsOf(observation, workflow.id)
    const last = runs.find(isScheduled)
    const usual = usualGap(runs)
    if (last === undefined || usual === undefined || last.startedAt > updatedAt) return []
    if (now - last.startedAt <= 3 * usual || !isSeldom(workflow, now)) return []
    const ranEveryHours = Math.round(usual / (hour / 10)) / 10
    const change = lastChanges.get(workflow.id)
    const row = {
      workflow: workflow.name,
      id: workflow.id,
      ranEveryHours,
      lastRun: isoOf(last.startedAt),
      changed: isoOf(updatedAt),
      ...(change === undefined ? {} : { by: change.by })
    }
    const text = `ran every ${durationOf(usual / 1000)} until it was ${changedBy(workflow, change) ?? "changed"}; its schedule is a rarer one now`
    return [{ kind: "rarerThanBefore", ...about(workflow), text, row }]
  })
}

/** Workflows with a schedule by which they ran until they were switched off within the span. */
export const switchedOff = (observation: Observation): ReadonlyArray<Finding> =>
  observation.workflows.flatMap((workflow) => {
    const { active, schedules, updatedAt } = workflow
    const last = runsOf(observation, workflow.id).runs.find(isScheduled)
    if (active || schedules.rules.length === 0 || updatedAt === undefined || updatedAt < observation.from) return []
    if (last === undefined || last.startedAt > updatedAt) return []
    const change = observation.lastChanges.get(workflow.id)
    const row = {
      workflow: workflow.name,
      id: workflow.id,
      lastRun: isoOf(last.startedAt),
      switchedOff: isoOf(updatedAt),
      ...(change === undefined ? {} : { by: change.by })
    }
    const by = change === undefined ? "" : ` by ${change.by}`
    const text = `ran by its schedule until ${minuteOf(last.startedAt)}, and was switched off${by}`
    return [{ kind: "switchedOff", ...about(workflow), text, row }]
  })

/** Days of which each has to have had runs, and the runs of each, for a day without any to be told. */
const formerDays = 14
const fewestADay = 3

/** Workflows without a schedule that ran every day of the last weeks, and not in the last one. */
export const quieterWorkflows = (observation: Observation): ReadonlyArray<Finding> =>
  observation.workflows.flatMap((workflow) => {
    const { daysOf, runs } = runsOf(observation, workflow.id)
    const { now } = observation
    const [last] = runs
    if (!workflow.active || workflow.schedules.rules.length > 0 || daysOf === undefined || last === undefined) return []
    if (now - last.startedAt < day || (workflow.updatedAt ?? 0) > last.startedAt) return []
    const today = Math.floor(last.startedAt / day)
    const days = daysOf()
    const former = Array.from({ length: formerDays }, (_, place) => days.get(today - 1 - place)?.ended ?? 0)
    const fewest = Math.min(...former)
    if (fewest < fewestADay) return []
    const lastRun = isoOf(last.startedAt)
    const row = { workflow: workflow.name, id: workflow.id, ranADayAtLeast: fewest, lastRun }
    const text = `ran at least ${fewest} times on each of ${formerDays} days, and has not run since ${minuteOf(last.startedAt)}`
    return [{ kind: "quieterThanBefore", ...about(workflow), text, row }]
  })
