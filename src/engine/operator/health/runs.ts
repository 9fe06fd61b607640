import { Effect, Option } from "effect"

import type { EngineError } from "../../client/EngineError.ts"
import type { Execution, ExecutionQuery, Page } from "../../client/models.ts"
import { maskText } from "../../workflow/maskSecrets.ts"
import { cutText } from "../explain/cut.ts"
import { failureOf, kindOfMessage, messageOf, wordsOf } from "../explain/failure.ts"
import { runDataOf } from "../explain/runData.ts"
import type { Census, Engine } from "./census.ts"
import { leastRuns } from "./schedules.ts"

/** Pages of failures that are read. */
const mostPages = 4

/** Failed executions whose data is read for their errors, over one instance. */
const mostRead = 24

/** One workflow's failures: how many, from when to when, and the errors of those that were read. */
export const failuresOf = Effect.fnUntraced(function* (
  engine: Engine,
  startedAfter: string,
  names: ReadonlyMap<string, string>
) {
  const error = yield* pagesOf(
    (query) => engine.listExecutions({ status: "error", startedAfter, ...query }),
    startedAfter
  )
  const crashed = yield* pagesOf(
    (query) => engine.listExecutions({ status: "crashed", startedAfter, ...query }),
    startedAfter
  ).pipe(Effect.orElseSucceed((): Listed => ({ runs: [], isMore: false })))
  const byWorkflow = new Map<string, Array<Execution>>()
  for (const run of new Map([...error.runs, ...crashed.runs].map((run) => [run.id, run])).values()) {
    const id = String(run.workflowId)
    const known = byWorkflow.get(id)
    if (known === undefined) byWorkflow.set(id, [run])
    else known.push(run)
  }
  const groups = [...byWorkflow.entries()].sort(([, a], [, b]) => b.length - a.length)
  const share = Math.max(Math.floor(mostRead / Math.max(groups.length, 1)), 1)
  const rows = yield* Effect.forEach(
    groups,
    ([id, runs], index) =>
      Effect.gen(function* () {
        const read = index < mostRead ? runs.slice(0, share) : []
        const kinds = yield* Effect.forEach(read, (run) => Effect.option(errorOf(engine, run)))
        const times = runs.map(({ startedAt }) => String(startedAt)).sort()
        return {
          workflow: names.get(id) ?? id,
          id,
          failures: runs.length,
          first: times[0],
          last: times.at(-1),
          ...(read.length === 0 ? {} : { errors: counted(kinds.flatMap(Option.toArray)) }),
          ...(read.length < runs.length ? { read: read.length } : {})
        }
      }),
    { concurrency: 4 }
  )
  return { rows, isMore: error.isMore || crashed.isMore }
})

const errorOf = (engine: Engine, { id }: Execution) =>
  Effect.map(engine.getExecution(id, true), (execution) => {
    const data = runDataOf(execution)
    const failure = data && failureOf(data)
    if (failure === undefined) return { node: undefined, message: "no error on record", kind: "", id }
    const message = String(wordsOf(failure.error, 160).message)
    return { node: failure.at?.node, message, kind: kindOfMessage(messageOf(failure.error)), id }
  })

type Told = Effect.Success<ReturnType<typeof errorOf>>

/** The same errors together, the commonest first, each with its newest execution. */
const counted = (all: ReadonlyArray<Told>) => {
  const groups = new Map<string, ReadonlyArray<Told>>()
  for (const one of all) {
    const key = `${one.node ?? ""}: ${one.kind}`
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups.values()]
    .sort((a, b) => b.length - a.length)
    .flatMap(([first, ...rest]) =>
      first === undefined
        ? []
        : [
            {
              ...(first.node === undefined ? {} : { node: cutText(first.node, 60) }),
              message: maskText(first.message),
              count: rest.length + 1,
              execution: first.id
            }
          ]
    )
    .slice(0, 3)
}

interface Listed {
  readonly runs: ReadonlyArray<Execution>
  readonly isMore: boolean
}

/** The executions of a list since a moment, as many as a few pages hold; older engines list earlier ones as well. */
const pagesOf = Effect.fnUntraced(function* (
  ask: (query: Pick<ExecutionQuery, "cursor" | "limit">) => Effect.Effect<Page<Execution>, EngineError>,
  startedAfter: string
): Effect.fn.Return<Listed, EngineError> {
  const found: Array<Execution> = []
  const from = Date.parse(startedAfter)
  let cursor: string | undefined
  for (let pages = 0; pages < mostPages; pages++) {
    const page = yield* ask(cursor === undefined ? { limit: 250 } : { cursor })
    const inside = page.data.filter(({ startedAt }) => Date.parse(String(startedAt)) >= from)
    found.push(...inside)
    const next = page.nextCursor ?? ""
    if (next === "" || next === cursor || inside.length < page.data.length) return { runs: found, isMore: false }
    cursor = next
  }
  return { runs: found, isMore: true }
})

/** Milliseconds that a run may be late, and that the beginning of the time looked at stays out. */
const slack = 120_000

/** Workflows whose runs are counted. */
const mostScheduled = 60

/** Active workflows that ran less often than their schedules ask for. */
export const missedOf = Effect.fnUntraced(function* (
  engine: Engine,
  workflows: ReadonlyArray<Census>,
  from: number,
  now: number
) {
  const scheduled = workflows.filter(({ active, schedules }) => active && schedules.rules.length > 0)
  const judged = scheduled.filter(({ savesNoSuccess }) => !savesNoSuccess).slice(0, mostScheduled)
  const rows = yield* Effect.forEach(
    judged,
    (workflow) =>
      Effect.gen(function* () {
        const span = { from: Math.max(from, workflow.updatedAt ?? from) + slack, to: now - slack }
        if (span.to <= span.from) return []
        const expected = leastRuns(workflow.schedules, workflow.zone, span)
        if (expected.count === 0) return []
        const since = Math.min(expected.since, span.to) - slack
        const startedAfter = new Date(since).toISOString()
        const { runs } = yield* pagesOf(
          (query) => engine.listExecutions({ workflowId: workflow.id, startedAfter, ...query }),
          startedAfter
        )
        const own = runs.filter(({ mode }) => mode === "trigger")
        if (own.length >= expected.count) return []
        return [
          {
            workflow: workflow.name,
            id: workflow.id,
            expectedAtLeast: expected.count,
            ran: own.length,
            since: startedAfter,
            ...(own[0] === undefined ? {} : { lastRun: own[0].startedAt })
          }
        ]
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

/** Running executions that are looked at. */
const mostRunning = 20

/** A run of this many seconds is too long where nothing tells how long it usually takes. */
const longSeconds = 3600

/** Executions that have been running far longer than the last ones of their workflow that ended well. */
export const longRunsOf = Effect.fnUntraced(function* (
  engine: Engine,
  names: ReadonlyMap<string, string>,
  now: number
) {
  const running = yield* engine.listExecutions({ status: "running", limit: mostRunning })
  const rows = yield* Effect.forEach(
    running.data.slice(0, mostRunning),
    (run) =>
      Effect.gen(function* () {
        const workflowId = String(run.workflowId)
        const past = yield* engine.listExecutions({ workflowId, status: "success", limit: 20 })
        const usual = median(past.data.map(secondsOf).filter(Number.isFinite))
        const seconds = Math.round((now - Date.parse(String(run.startedAt))) / 1000)
        const isLong = usual === undefined ? seconds > longSeconds : seconds > Math.max(120, usual * 5)
        return isLong
          ? [
              {
                workflow: names.get(workflowId) ?? workflowId,
                execution: run.id,
                seconds,
                ...(usual === undefined ? {} : { usualSeconds: Math.round(usual * 10) / 10 })
              }
            ]
          : []
      }),
    { concurrency: 4 }
  )
  return { rows: rows.flat(), isMore: (running.nextCursor ?? "") !== "" }
})

const secondsOf = ({ startedAt, stoppedAt }: Execution) =>
  (Date.parse(String(stoppedAt)) - Date.parse(String(startedAt))) / 1000

const median = (values: ReadonlyArray<number>): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
