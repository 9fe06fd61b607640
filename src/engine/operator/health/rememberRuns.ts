import { Effect, Option } from "effect"

import { isoOf } from "../../../internal/time.ts"
import { ExecutionId } from "../../workflow/models.ts"
import { daysOf, type Memory, withRuns } from "./Memory.ts"
import { readUsage } from "./modelUsage.ts"
import type { ErrorRead, Observation, WorkflowRun } from "./Observation.ts"
import { activationsOf, type KnownRuns, type ListedRuns, someOf, toRuns } from "./readRuns.ts"
import { executionsSince, readError } from "./recentFailures.ts"
import { failsMore, isFailed, noRuns, type Runs } from "./runs.ts"
import type { Engine } from "./workflowFacts.ts"

/** Milliseconds by which readings overlap: runs are listed when they have ended, in the order in which they began. */
const overlapMs = 65 * 60_000

/** Milliseconds of the past that the first reading goes back, and its pages. */
const pastMs = 14 * 86_400_000
const mostPastPages = 40

/** Runs that had not ended and are not listed any more, of which it is asked how they ended. */
const mostEnded = 20

/** Workflows whose errors are read at each look; further ones wait for the next, so that what they have in common is known when it is told. */
const mostErrors = 30

/** The runs since the last reading, and those that have ended since; of the first reading, those of the last weeks. */
export const runsSince = Effect.fnUntraced(function* (engine: Engine, before: Memory | undefined, now: number) {
  const since = before === undefined ? now - pastMs : before.at - overlapMs
  const startedAfter = isoOf(since)
  const { isMore, runs: executions } = yield* executionsSince(
    (query) => engine.listExecutions({ startedAfter, ...query }),
    startedAfter,
    mostPastPages
  )
  const ids = new Set(executions.map(({ id }) => Number(id)))
  const overdue = (before?.pending ?? []).filter((id) => !ids.has(id)).slice(0, mostEnded)
  const ended = yield* Effect.forEach(overdue, (id) => Effect.option(engine.getExecution(ExecutionId.make(id), false)))
  const runs = toRuns([...executions, ...ended.flatMap(Option.toArray)])
  const oldest = Math.min(now, ...runs.map(({ startedAt }) => startedAt))
  return { runs, failed: [], since: isMore ? oldest : since, isMore: false } satisfies ListedRuns
})

/** The runs of each workflow by what is remembered and what was read since. */
export const remembering = Effect.fnUntraced(function* (
  engine: Engine,
  unread: Observation,
  read: ReadonlyArray<WorkflowRun>,
  listed: ListedRuns | undefined,
  before: Memory | undefined
) {
  const { from, now, workflows } = unread
  const since = before?.since ?? listed?.since ?? now
  const all = withRuns(before, read, since)
  const runs = new Map<string, Runs>(workflows.map(({ id }) => [id, { ...noRuns, since }]))
  for (const [id, one] of all) runs.set(id, { ...one, daysOf: () => daysOf(one) })
  const everyFailed = [...runs].flatMap(([workflowId, one]) =>
    one.runs
      .filter((run) => isFailed(run) && (run.startedAt >= from || failsMore(one)))
      .map((run) => ({ ...run, workflowId }))
  )
  const newest = new Map(everyFailed.toReversed().map((run) => [run.workflowId, run]))
  const names = new Map(workflows.map((workflow) => [workflow.id, workflow]))
  const failing = [...newest].filter(([id]) => failsMore(runs.get(id) ?? noRuns))
  const unknown = failing.filter(([id]) => before?.errors.has(id) !== true)
  const later = new Set(unknown.slice(mostErrors).map(([id]) => id))
  const failed = everyFailed.filter(({ workflowId }) => !later.has(workflowId))
  const readErrors = yield* Effect.forEach(
    failing.filter(([id]) => !later.has(id)),
    ([id, run]) => {
      const remembered = before?.errors.get(id)
      // The error that a workflow began to fail with is read once.
      const error =
        remembered === undefined
          ? Effect.option(readError(engine, run, names.get(id) ?? { id, name: id }))
          : Effect.succeedSome(remembered)
      return Effect.map(error, (error) => ({ id, execution: run.id, error }))
    },
    { concurrency: 4 }
  )
  const errors = new Map(
    readErrors.flatMap(({ error, id }) =>
      Option.isSome(error) ? [[id, error.value] satisfies [string, ErrorRead]] : []
    )
  )
  const activeBefore = before?.active
  const active = new Map(
    workflows.flatMap((workflow) =>
      workflow.active
        ? [[workflow.id, activeBefore === undefined ? 0 : (activeBefore.get(workflow.id) ?? now)] as const]
        : []
    )
  )
  const observation: Observation = {
    ...unread,
    runs,
    failed,
    errors: someOf(readErrors.map(({ error, execution }) => [execution, error] as const)),
    activations: active
  }
  const activations = yield* activationsOf(engine, observation)
  const usage = yield* readUsage(engine, workflows, runs, before?.usage)
  const pending = [...(unread.running ?? []), ...unread.waiting].map(({ id }) => id)
  const memory: Memory = {
    since,
    at: listed === undefined ? (before?.at ?? now) : now,
    runs: all,
    pending,
    errors,
    usage,
    active: activations,
    lastChanges: new Map()
  }
  return {
    observation: { ...observation, activations, usage },
    left: 0,
    problem: undefined,
    memory
  } satisfies KnownRuns
})
