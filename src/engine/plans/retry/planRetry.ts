import { Clock, Effect, Option, Result } from "effect"

import { grouped } from "../../../internal/collections.ts"
import { isoOf } from "../../../internal/time.ts"
import { Progress } from "../../../mcp/callContext.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { Instances } from "../../client/Instances.ts"
import { firstPages } from "../../client/listAll.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import { requestedNames } from "../../operator/AcrossTool.ts"
import { classifyRun } from "../../operator/explain/classifyRun.ts"
import type { FailureClass } from "../../operator/explain/failureClass.ts"
import { readFailed } from "../../operator/explain/readExecutions.ts"
import { runDataOf } from "../../operator/explain/runData.ts"
import { unsupportedReason } from "../../operator/routeSupport.ts"
import { workflowOf } from "../../operator/tests/runTest.ts"
import { type Execution, ExecutionId, type Workflow, WorkflowId } from "../../workflow/models.ts"
import type { Path } from "../../workflow/valuePaths.ts"
import { WorkflowPlans } from "../Plans.ts"
import { draftRetry, type RetryGroup } from "./draftRetry.ts"
import { readRetries } from "./readRetries.ts"
import {
  actedIn,
  callAnew,
  type FailedExecution,
  firstFields,
  isMadeUpFor,
  isSuccess,
  keyOf,
  type KeySuccesses,
  notRetried,
  oncePerKey,
  parseKey,
  retriesOf
} from "./selectRuns.ts"

/** The arguments of `plan_retry`. */
export interface RetryRequest {
  /** Id or name; all workflows where it is left out. */
  readonly workflow?: string | undefined
  readonly instances?: ReadonlyArray<string> | string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly class?: FailureClass | undefined
  readonly latest_version?: boolean | undefined
  readonly once_per?: string | undefined
  /** Runs that begin in a minute on one instance at most. */
  readonly per_minute?: number | undefined
}

/** Plans the retry of all failed runs that fit. */
export const planRetry = Effect.fn("planRetry")(function* (request: RetryRequest) {
  const { names, resolve } = yield* Instances
  const key = request.once_per === undefined ? undefined : yield* orRefuse("once_per", parseKey(request.once_per))
  const now = yield* Clock.currentTimeMillis
  const since = Date.parse(request.since ?? isoOf(now - day))
  const until = request.until === undefined ? now : Date.parse(request.until)
  if (!(since < until)) return yield* new InvalidArgument({ argument: "since", problem: "must be before until" })
  const groups = yield* Effect.forEach(requestedNames(request.instances, names), (name) =>
    Effect.flatMap(resolve(name), (client) =>
      Effect.provideService(groupsOn({ ...request, since, until, key }), EngineClient, client)
    )
  )
  const draft = draftRetry(groups.flat(), request)
  const plans = yield* WorkflowPlans
  return { plan: yield* plans.keep(draft.draft), ...draft.answer }
})

const orRefuse = <A>(argument: string, result: Result.Result<A, string>) =>
  Effect.fromResult(Result.mapError(result, (problem) => new InvalidArgument({ argument, problem })))

const day = 24 * 60 * 60 * 1000

interface Wanted extends Omit<RetryRequest, "since" | "until"> {
  readonly since: number
  readonly until: number
  readonly key: Path | undefined
}

/** Pages of lists that are read, and failed runs that one plan may hold. */
const mostPages = 20
const mostRuns = 500
const atOnce = 4

const retryRoute = {
  call: "POST /executions/{id}/retry",
  verb: "retry executions",
  since: "1.115.0",
  scope: "execution:retry",
  instead: "A run anew is planned where a workflow has an active webhook."
} as const

/** The failed runs of an instance by their workflows, with what is known of each. */
const groupsOn = Effect.fnUntraced(function* (wanted: Wanted) {
  const engine = yield* EngineClient
  const { instance } = engine
  if (engine.isReadOnly) {
    return [{ instance, blocked: `instance ${instance} is read-only` }] satisfies ReadonlyArray<RetryGroup>
  }
  const only =
    wanted.workflow === undefined
      ? undefined
      : yield* workflowOf({ workflow: { id: wanted.workflow, name: wanted.workflow } }).pipe(
          Effect.catchTag("NoWorkflow", ({ message }) =>
            Effect.fail(new InvalidArgument({ argument: "workflow", problem: message }))
          )
        )
  const { isWhole, runs } = yield* failedSince(wanted, only?.id)
  const unsupported = yield* unsupportedReason(retryRoute)
  const byWorkflow = [...grouped(runs, ({ workflowId }) => String(workflowId))]
  const groups = yield* Effect.forEach(
    byWorkflow,
    ([id, failed]) => groupOf(wanted, only, { id: WorkflowId.make(id), failed, unsupported }),
    { concurrency: atOnce }
  )
  return isWhole
    ? groups
    : [...groups, { instance, blocked: `${instance} has more failed runs than are listed: give a shorter period` }]
})

/** The failed runs of a period, with crashed and, if asked for, canceled ones; older engines count crashes as errors. */
const failedSince = Effect.fnUntraced(function* (wanted: Wanted, workflowId: WorkflowId | undefined) {
  const engine = yield* EngineClient
  const isCanceled = wanted.class === "timed out" || wanted.class === "stopped by a person"
  const statuses = isCanceled ? (["canceled"] as const) : (["error", "crashed"] as const)
  const lists = yield* Effect.forEach(statuses, (status) => {
    const listed = listSince({ ...wanted, status }, workflowId)
    return status === "error" ? listed : Effect.orElseSucceed(listed, () => ({ matches: [], isWhole: true }))
  })
  const byId = new Map(lists.flatMap(({ matches }) => matches.map((run) => [run.id, run])))
  const runs = [...byId.values()].toSorted((a, b) => a.id - b.id)
  return {
    runs: runs.slice(-mostRuns),
    isWhole: lists.every(({ isWhole }) => isWhole) && runs.length <= mostRuns,
    instance: engine.instance
  }
})

const listSince = (
  { since, status, until }: Pick<Wanted, "since" | "until"> & { readonly status?: "canceled" | "crashed" | "error" },
  workflowId: WorkflowId | undefined
) =>
  EngineClient.use((engine) => {
    const filters = {
      ...(workflowId === undefined ? {} : { workflowId }),
      ...(status === undefined ? {} : { status }),
      startedAfter: isoOf(since)
    }
    const startOf = ({ startedAt }: Execution) => Date.parse(String(startedAt))
    // The newest come first, and those after the period are no end of the list.
    const listed = firstPages(
      (query) => engine.listExecutions({ ...filters, ...query }),
      { pages: mostPages, isEnough: (picked, all) => picked === 0 && all > 0 },
      (page) => page.filter((run) => startOf(run) >= since)
    )
    return Effect.map(listed, ({ isWhole, matches }) => ({
      isWhole,
      matches: matches.filter((run) => startOf(run) <= until)
    }))
  })

interface Listed {
  readonly id: WorkflowId
  readonly failed: ReadonlyArray<Execution>
  /** The reason why the engine retries nothing by its API. */
  readonly unsupported: string | undefined
}

const groupOf = Effect.fnUntraced(function* (
  wanted: Wanted,
  only: Workflow | undefined,
  { failed, id, unsupported }: Listed
): Effect.fn.Return<RetryGroup, never, EngineClient> {
  const engine = yield* EngineClient
  const { instance } = engine
  const read = only === undefined ? yield* Effect.result(engine.getWorkflow(id)) : Result.succeed(only)
  if (Result.isFailure(read)) return { instance, blocked: `workflow ${id} cannot be read: ${read.failure.message}` }
  const workflow = read.success
  const later = yield* Effect.option(listSince({ since: wanted.since, until: Infinity }, id))
  if (Option.isNone(later)) return { instance, blocked: `the later runs of ${workflow.name} cannot be read` }
  if (!later.value.isWhole) {
    return { instance, blocked: `${workflow.name} has more later runs than are listed: give a later since` }
  }
  const retries = retriesOf(later.value.matches)
  const begun = yield* Effect.result(unsupported === undefined ? noRuns : anewOf(instance, workflow, failed))
  if (Result.isFailure(begun)) return { instance, blocked: begun.failure.message }
  const anew = begun.success
  const left = failed.map((execution) => ({
    execution,
    why: anew.has(execution.id) ? "it was run anew" : notRetried(execution, retries)
  }))
  const open = left.flatMap(({ execution, why }) => (why === undefined ? [execution] : []))
  const progress = yield* Progress
  let done = 0
  const runs = yield* Effect.forEach(
    open,
    (execution) =>
      Effect.tap(describedRun(execution, workflow, wanted.key), () =>
        progress({ progress: ++done, total: open.length, message: workflow.name })
      ),
    { concurrency: atOnce }
  )
  const fitting = runs.filter((run) => wanted.class === undefined || run.class === wanted.class)
  const { successes, unread } = yield* successesOfKeys(fitting, later.value.matches, wanted.key)
  const wantedRuns = fitting.filter((run) => !isMadeUpFor(run, successes))
  const { kept, others } = oncePerKey(wantedRuns)
  const noKey = wanted.key === undefined ? 0 : kept.filter(({ key }) => key === undefined).length
  return {
    instance,
    workflow,
    runs: kept.map((run) => ({
      ...run,
      anew: unsupported === undefined ? undefined : Result.map(run.call, () => unsupported)
    })),
    others,
    noKey,
    unread,
    otherClasses: runs.length - fitting.length,
    left: [
      ...left.flatMap(({ why }) => why ?? []),
      ...fitting.filter((run) => isMadeUpFor(run, successes)).map(() => "a later run of the same key has succeeded")
    ]
  }
})

/** Successes of a workflow whose keys are read. */
const mostKeysRead = 200

/** The successes after failed runs, by their keys, and the number of those that were not read. */
const successesOfKeys = Effect.fnUntraced(function* (
  failed: ReadonlyArray<Pick<FailedExecution, "execution" | "key">>,
  runs: ReadonlyArray<Execution>,
  key: Path | undefined
): Effect.fn.Return<{ readonly successes: KeySuccesses; readonly unread: number }, never, EngineClient> {
  const keyed = failed.filter((run) => run.key !== undefined)
  if (key === undefined || keyed.length === 0) return { successes: new Map(), unread: 0 }
  const engine = yield* EngineClient
  const oldest = Math.min(...keyed.map(({ execution }) => execution.id))
  const later = runs.filter((run) => run.id > oldest && isSuccess(run)).toSorted((a, b) => a.id - b.id)
  const read = yield* Effect.forEach(
    later.slice(-mostKeysRead),
    ({ id }) =>
      Effect.map(Effect.option(engine.getExecution(ExecutionId.make(id), true, firstFields(key))), (whole) => {
        const data = Option.isNone(whole) ? undefined : runDataOf(whole.value)
        return { id, isRead: data !== undefined, key: keyOf(data, key) }
      }),
    { concurrency: atOnce }
  )
  const successes = new Map(read.flatMap((run) => (run.key === undefined ? [] : [[run.key, run.id] as const])))
  return { successes, unread: later.length - read.filter(({ isRead }) => isRead).length }
})

const noRuns = Effect.succeed<ReadonlyMap<number, number>>(new Map())

/** The runs of failed executions that were begun anew. */
const anewOf = (instance: string, { id, name }: Workflow, failed: ReadonlyArray<Execution>) =>
  EngineClient.use((engine) =>
    readRetries(
      engine,
      failed.map((execution) => ({ kind: "run-anew", instance, execution: execution.id, workflow: id, name }))
    )
  )

/** A failed run with its class, its key and what acted outside in it. */
const describedRun = Effect.fnUntraced(function* (execution: Execution, workflow: Workflow, key: Path | undefined) {
  const id = ExecutionId.make(execution.id)
  const read = yield* Effect.option(readFailed(id))
  const whole = Option.getOrElse(read, () => execution)
  const data = runDataOf(whole)
  return {
    execution,
    class: (yield* classifyRun(whole)).class,
    key: keyOf(data, key),
    acted: actedIn(data, workflow, yield* parser),
    call: callAnew(workflow, data, execution.id)
  }
})
