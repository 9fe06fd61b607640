import { Effect, Option, Predicate } from "effect"

import { isJsonObject, listOf } from "../../../internal/schema/JsonObject.ts"
import { type Workflow, WorkflowId } from "../../workflow/models.ts"
import { executionsSince } from "./recentFailures.ts"
import { leastRuns } from "./schedules.ts"
import type { WorkflowFacts, Engine } from "./workflowFacts.ts"

/** Milliseconds that a run may be late, and by which the checked span is shorter at both ends. */
const slack = 120_000

/** Workflows whose runs are counted. */
const mostScheduled = 60

/** The runs that a workflow lacks since a moment by its schedules; undefined where it lacks none. */
const shortfall = Effect.fnUntraced(function* (engine: Engine, workflow: WorkflowFacts, from: number, now: number) {
  const span = { from: from + slack, to: now - slack }
  const expected = leastRuns(workflow.schedules, workflow.zone, span)
  if (span.to <= span.from || expected.count === 0) return undefined
  const startedAfter = new Date(expected.since - slack).toISOString()
  const listed = (status?: "running") =>
    executionsSince(
      (query) =>
        engine.listExecutions({
          workflowId: workflow.id,
          startedAfter,
          ...(status === undefined ? {} : { status }),
          ...query
        }),
      startedAfter
    )
  const ended = yield* listed()
  // Lists leave out what is running; older engines never show it, where one of the missing runs may be it.
  const running = yield* Effect.option(listed("running"))
  const all = [...ended.runs, ...Option.match(running, { onNone: () => [], onSome: ({ runs }) => runs })]
  const scheduledRuns = [...new Map(all.map((run) => [run.id, run])).values()].filter(({ mode }) => mode === "trigger")
  const least = expected.count - (Option.isNone(running) ? 1 : 0)
  return scheduledRuns.length >= least
    ? undefined
    : {
        workflow: workflow.name,
        id: workflow.id,
        expectedAtLeast: expected.count,
        ran: scheduledRuns.length,
        since: startedAfter,
        ...(scheduledRuns[0] === undefined ? {} : { lastRun: scheduledRuns[0].startedAt })
      }
})

const day = 86_400_000

/** Spans in which runs are counted where none is due in the given one: engines keep executions for two weeks. */
const longerSpans = [3 * day, 10 * day]

/** The span in which a workflow should have run at least once, as far back as its content is the same; the longest where there is none. */
const judgedFrom = ({ schedules, updatedAt, zone }: WorkflowFacts, from: number, now: number): number => {
  const spans = [from, ...longerSpans.map((span) => now - span).filter((start) => start < from)].map((start) =>
    Math.max(start, updatedAt ?? start)
  )
  const isDue = (start: number) =>
    now - slack > start + slack && leastRuns(schedules, zone, { from: start + slack, to: now - slack }).count > 0
  return spans.find(isDue) ?? Math.min(...spans)
}

/** Runs by which it is told how often a workflow used to run, and the least of them. */
const formerRuns = 20
const fewest = 4

/** A workflow that was changed and has not run since, though it ran at short intervals before: its schedule is a rarer one now. */
const slowedDown = Effect.fnUntraced(function* (engine: Engine, workflow: WorkflowFacts, now: number) {
  const { updatedAt } = workflow
  if (updatedAt === undefined) return undefined
  const { data } = yield* engine.listExecutions({ workflowId: workflow.id, limit: formerRuns })
  const starts = data.flatMap(({ mode, startedAt }) => (mode === "trigger" ? [Date.parse(String(startedAt))] : []))
  const times = starts.filter(Number.isFinite).toSorted((a, b) => b - a)
  const [last] = times
  if (last === undefined || times.length < fewest || last > updatedAt) return undefined
  const gaps = times.slice(1).map((time, index) => (times[index] ?? time) - time)
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0
  return now - last <= 3 * usual
    ? undefined
    : {
        workflow: workflow.name,
        id: workflow.id,
        ranEveryHours: Math.round(usual / 360_000) / 10,
        lastRun: new Date(last).toISOString(),
        changed: new Date(updatedAt).toISOString()
      }
})

/** The last activation of a workflow, if the engine tells it. */
const activatedAt = ({ activeVersion }: Workflow): number | undefined => {
  const history = isJsonObject(activeVersion) ? activeVersion.workflowPublishHistory : []
  const times = listOf(history).flatMap((entry: unknown) =>
    isJsonObject(entry) && entry.event === "activated" && Predicate.isString(entry.createdAt)
      ? [Date.parse(entry.createdAt)]
      : []
  )
  return times.length === 0 ? undefined : Math.max(...times)
}

/** Active workflows that ran less often than their schedules ask for. */
export const missedRunsOf = Effect.fnUntraced(function* (
  engine: Engine,
  workflows: ReadonlyArray<WorkflowFacts>,
  from: number,
  now: number
) {
  const scheduled = workflows.filter(({ active, schedules }) => active && schedules.rules.length > 0)
  const judged = scheduled.filter(({ savesNoSuccess }) => !savesNoSuccess).slice(0, mostScheduled)
  const rows = yield* Effect.forEach(
    judged,
    Effect.fnUntraced(function* (workflow) {
      const since = judgedFrom(workflow, from, now)
      const first = yield* shortfall(engine, workflow, since, now)
      if (first === undefined) return []
      // Lists do not say when a workflow was switched on: what falls short is looked at again.
      const switchedOn = activatedAt(yield* engine.getWorkflow(WorkflowId.make(workflow.id)))
      const row =
        switchedOn === undefined || switchedOn <= since ? first : yield* shortfall(engine, workflow, switchedOn, now)
      return row === undefined ? [] : [row]
    }),
    { concurrency: 4 }
  )
  const seldom = judged.filter(
    ({ schedules, zone }) => leastRuns(schedules, zone, { from: now - 10 * day, to: now }).count === 0
  )
  const slower = yield* Effect.forEach(
    seldom,
    (workflow) => Effect.map(slowedDown(engine, workflow, now), (row) => (row === undefined ? [] : [row])),
    { concurrency: 4 }
  )
  return {
    rows: rows.flat(),
    slower: slower.flat(),
    unsaved: scheduled.filter(({ savesNoSuccess }) => savesNoSuccess).length,
    left: Math.max(scheduled.length - mostScheduled, 0),
    unread: workflows.filter(({ active, schedules }) => active && schedules.unread > 0).length
  }
})
