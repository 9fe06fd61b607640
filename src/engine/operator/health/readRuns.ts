import { Effect, Option, Predicate, Result } from "effect"

import { grouped } from "../../../internal/collections.ts"
import { isJsonObject, listOf } from "../../../internal/schema/JsonObject.ts"
import { isoOf } from "../../../internal/time.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { type Execution, type ExecutionQuery, type Page, type Workflow, WorkflowId } from "../../workflow/models.ts"
import type { Memory } from "./Memory.ts"
import { isScheduledToRun, isSeldom, missedRuns, neededSince } from "./missedRuns.ts"
import type { Observation, WorkflowRun } from "./Observation.ts"
import { executionsSince, readError, worthReading } from "./recentFailures.ts"
import { durationsOf, isFailed, isScheduled, noCounts, noRuns, runOf, type Runs } from "./runs.ts"
import type { Engine, WorkflowFacts } from "./workflowFacts.ts"

/** Runs that were listed, all of those since a moment. */
export interface ListedRuns {
  readonly runs: ReadonlyArray<WorkflowRun>
  /** The failed ones of the whole span, also from before that moment. */
  readonly failed: ReadonlyArray<WorkflowRun>
  readonly since: number
  readonly isMore: boolean
}

export const toRuns = (executions: ReadonlyArray<Execution>): ReadonlyArray<WorkflowRun> =>
  executions.flatMap((execution) => {
    const run = runOf(execution)
    return run === undefined ? [] : [{ ...run, workflowId: String(execution.workflowId) }]
  })

/** Running and waiting executions that are listed at most. */
const mostUnended = 100

const unended = ({ data, nextCursor }: Page<Execution>) => ({ runs: toRuns(data), isMore: (nextCursor ?? "") !== "" })

/** The executions that run now; undefined where the engine does not list them. */
export const runningOf = (engine: Engine) =>
  engine.listExecutions({ status: "running", limit: mostUnended }).pipe(
    Effect.map(unended),
    Effect.catchIf(isUnknownStatus, () => Effect.succeed(undefined))
  )

export const waitingOf = (engine: Engine) =>
  Effect.map(engine.listExecutions({ status: "waiting", limit: mostUnended }), unended)

/** Whether an engine refuses the status `running`, as older ones do, which never list running executions. */
const isUnknownStatus = (error: EngineError) =>
  error._tag === "ApiError" && error.httpStatus === 400 && error.problem.startsWith("request/query/status")

/** An observation with the runs of each workflow. */
export interface KnownRuns {
  readonly observation: Observation
  /** Workflows that could not be asked for. */
  readonly left: number
  /** The first problem of those that could not be asked. */
  readonly problem: string | undefined
  readonly memory: Memory | undefined
}

/** Pages of all runs that are read for one answer; where there are more, it is asked for those that matter. */
const mostPages = 8

/** The runs of the span, and the failed ones even if there are too many others. */
export const runsAsked = Effect.fnUntraced(function* (engine: Engine, { from }: Pick<Observation, "from">) {
  const startedAfter = isoOf(from)
  const list = (status?: "crashed" | "error", pages?: number) =>
    executionsSince(
      (query) => engine.listExecutions({ startedAfter, ...(status === undefined ? {} : { status }), ...query }),
      startedAfter,
      pages
    )
  const all = yield* list(undefined, mostPages)
  const runs = toRuns(all.runs)
  const since = all.isMore ? Math.max(from, ...runs.slice(-1).map(({ startedAt }) => startedAt)) : from
  // Older engines do not tell a failed run from a canceled one in a list of all.
  if (!all.isMore && all.runs.every(({ status }) => status !== undefined)) {
    return { runs, failed: runs.filter(isFailed), since, isMore: false } satisfies ListedRuns
  }
  const error = yield* list("error")
  const crashed = yield* Effect.orElseSucceed(list("crashed"), () => ({ runs: [], isMore: false }))
  const failed = new Map(toRuns([...error.runs, ...crashed.runs]).map((run) => [run.id, run]))
  return { runs, failed: [...failed.values()], since, isMore: error.isMore || crashed.isMore } satisfies ListedRuns
})

/** Workflows of each kind of doubt that are asked for their runs. */
const mostScheduled = 60
const mostFailing = 24
const mostOthers = 20

/** Runs of a workflow that is asked for its past. */
const pastRuns = 50

/** The runs of each workflow as far as the rules need them, each asked for by itself where the list of all does not hold them. */
export const knownByAsking = Effect.fnUntraced(function* (
  engine: Engine,
  unread: Observation,
  read: ReadonlyArray<WorkflowRun>,
  listed: ListedRuns | undefined
) {
  const { from, now, running = [], workflows } = unread
  const failed = listed?.failed ?? []
  const since = listed?.since ?? now
  const groups = grouped(read, ({ workflowId }) => workflowId)
  const runs = new Map(workflows.map(({ id }) => [id, knownOf(since, groups.get(id) ?? [])]))

  const ask = Effect.fnUntraced(function* (id: string, query: ExecutionQuery, asksSince?: number) {
    const list = (page: ExecutionQuery) => engine.listExecutions({ workflowId: id, ...query, ...page })
    const listing =
      asksSince === undefined
        ? Effect.map(list({}), ({ data }) => ({ runs: data, isMore: true }))
        : executionsSince((page) => list({ startedAfter: isoOf(asksSince), ...page }), isoOf(asksSince))
    const { isMore, runs: executions } = yield* listing
    const before = runs.get(id)
    const all = [...(before?.runs ?? []), ...toRuns(executions)]
    const oldest = Math.min(...all.map(({ startedAt }) => startedAt))
    const from = asksSince === undefined || isMore ? oldest : asksSince
    runs.set(id, knownOf(query.status === undefined ? from : (before?.since ?? now), all))
  })
  const of = (id: string): Runs => runs.get(id) ?? noRuns
  const failing = [...new Set(failed.map(({ workflowId }) => workflowId))].slice(0, mostFailing)
  const scheduled = workflows.filter(isScheduledToRun)
  const uncovered = scheduled.flatMap((workflow) => {
    const needed = neededSince(workflow, { from, now })
    return needed === undefined || of(workflow.id).since <= needed ? [] : [{ id: workflow.id, needed }]
  })
  const former = workflows.filter((workflow) => isInDoubt(workflow, of(workflow.id), unread))
  const long = [...new Set(running.map(({ workflowId }) => workflowId))]
  const outcomes = yield* Effect.forEach(
    [
      ...uncovered.slice(0, mostScheduled).map(({ id, needed }) => ask(id, {}, needed)),
      ...former.slice(0, mostOthers).map(({ id }) => ask(id, { limit: mostOthers })),
      ...failing.map((id) =>
        Effect.andThen(
          Effect.ignore(ask(id, { limit: pastRuns })),
          Effect.suspend(() =>
            hasSuccess(of(id)) ? Effect.void : Effect.ignore(ask(id, { status: "success", limit: 1 }))
          )
        )
      ),
      ...long
        .slice(0, mostOthers)
        .map((id) =>
          Effect.suspend(() =>
            durationsOf(of(id).runs).length > 0 ? Effect.void : ask(id, { status: "success", limit: mostOthers })
          )
        )
    ],
    (one) => Effect.result(one),
    { concurrency: 4 }
  )
  const problem = outcomes.flatMap((one) => (Result.isFailure(one) ? [one.failure.message] : []))[0]
  const names = new Map(workflows.map((workflow) => [workflow.id, workflow]))
  const named = ({ workflowId: id }: WorkflowRun) => names.get(id) ?? { id, name: id }
  const errors = yield* Effect.forEach(
    worthReading(failed),
    (run) => Effect.map(Effect.option(readError(engine, run, named(run))), (error) => [run.id, error] as const),
    { concurrency: 4 }
  )
  const observation: Observation = { ...unread, runs, failed, errors: someOf(errors) }
  const activations = yield* activationsOf(engine, observation)
  return {
    observation: { ...observation, activations },
    left: Math.max(uncovered.length - mostScheduled, 0),
    problem,
    memory: undefined
  } satisfies KnownRuns
})

const hasSuccess = ({ runs }: Runs): boolean => runs.some(({ status }) => status === "success")

export const someOf = <A>(pairs: ReadonlyArray<readonly [number, Option.Option<A>]>): ReadonlyMap<number, A> =>
  new Map(pairs.flatMap(([id, value]) => (Option.isSome(value) ? [[id, value.value] as const] : [])))

const knownOf = (since: number, all: ReadonlyArray<WorkflowRun | Runs["runs"][number]>): Runs => ({
  since,
  runs: [...new Map(all.map((run) => [run.id, run])).values()].toSorted((a, b) => b.id - a.id),
  earlier: noCounts
})

/** Whether only the runs before its last change tell whether a workflow runs as it did: its schedule is a rare one, or it was switched off. */
const isInDoubt = (workflow: WorkflowFacts, { runs }: Runs, { from, now }: Observation): boolean => {
  const { active, schedules, updatedAt } = workflow
  if (updatedAt === undefined || schedules.rules.length === 0) return false
  if (runs.some((run) => isScheduled(run) && run.startedAt > updatedAt)) return false
  return active ? isScheduledToRun(workflow) && isSeldom(workflow, now) : updatedAt >= from
}

/** The moments at which workflows that lack runs were switched on, as lists do not say it. */
export const activationsOf = Effect.fnUntraced(function* (engine: Engine, observation: Observation) {
  const lacking = [...new Set(missedRuns(observation).flatMap(({ workflowId }) => workflowId ?? []))]
  const answers = yield* Effect.forEach(
    lacking.filter((id) => (observation.activations.get(id) ?? 0) === 0).slice(0, mostScheduled),
    (id) =>
      Effect.match(engine.getWorkflow(WorkflowId.make(id)), {
        onFailure: () => [],
        onSuccess: (workflow) => [[id, activatedAt(workflow) ?? 1] as const]
      }),
    { concurrency: 4 }
  )
  return new Map([...observation.activations, ...answers.flat()])
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
