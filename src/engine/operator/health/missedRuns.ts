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
      const since = Math.max(from, workflow.updatedAt ?? from)
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
  return {
    rows: rows.flat(),
    unsaved: scheduled.filter(({ savesNoSuccess }) => savesNoSuccess).length,
    left: Math.max(scheduled.length - mostScheduled, 0),
    unread: workflows.filter(({ active, schedules }) => active && schedules.unread > 0).length
  }
})
