import { Clock, Effect, Result, Schema } from "effect"

import { grouped } from "../../../internal/collections.ts"
import { only } from "../../../internal/json/Selection.ts"
import { reads } from "../../../mcp/annotations.ts"
import { firstPages } from "../../client/listAll.ts"
import { type Execution, nameOf } from "../../workflow/models.ts"
import * as AcrossTool from "../AcrossTool.ts"
import { secondsOf, statusOf } from "../explain/describeExecution.ts"
import { failureRow, heardAt } from "./instanceHealth.ts"
import { listRunning } from "./readRuns.ts"
import { executionsSince } from "./recentFailures.ts"
import type { Engine } from "./workflowFacts.ts"

const hours = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 72 }, { message: "must be between 1 and 72" }))
  .annotate({ description: "Back from now, default 24" })
  .pipe(Schema.withDecodingDefaultKey(Effect.succeed(24)))

/** The runs of the last hours, a row for each workflow, for programs that draw them; models have instance_health. */
export const recentRuns = {
  ...AcrossTool.make("recent_runs", {
    title: "Recent runs",
    description: "All runs of the last hours by workflow: id, seconds after `since`, duration in seconds, status",
    annotations: { ...reads, openWorldHint: true },
    arguments: { hours },
    run: Effect.fnUntraced(function* ({ hours }, engines) {
      const now = yield* Clock.currentTimeMillis
      const since = now - hours * 3_600_000
      const rows = yield* Effect.forEach(
        engines,
        (engine) =>
          Effect.flatMap(Effect.result(runsOf(engine, since)), (result) =>
            Effect.map(heardAt(engine), (heard) => ({ engine, heard, result }))
          ),
        { concurrency: 4 }
      )
      const errors = rows.flatMap(({ engine, heard, result }) =>
        Result.isFailure(result) ? [failureRow(engine.instance, result.failure, heard)] : []
      )
      return {
        since: new Date(since).toISOString(),
        until: new Date(now).toISOString(),
        data: rows.flatMap(({ engine, heard, result }) =>
          Result.isSuccess(result) ? [{ instance: engine.instance, ...heard, ...result.success }] : []
        ),
        ...(errors.length === 0 ? {} : { errors })
      }
    })
  }),
  isListed: false
}

/** Pages of workflows whose names are read. */
const mostPages = 40

const namesOnly = only({ id: "whole", name: "whole", active: "whole" })

const runsOf = Effect.fnUntraced(function* (engine: Engine, since: number) {
  const startedAfter = new Date(since).toISOString()
  const [{ matches: workflows }, ended, running] = yield* Effect.all(
    [
      firstPages(
        (query) => engine.listWorkflows({ ...query, excludePinnedData: true }, namesOnly),
        { limit: 250, pages: mostPages },
        (page) => page.map((workflow) => ({ id: String(workflow.id), name: nameOf(workflow), active: workflow.active }))
      ),
      executionsSince((query) => engine.listExecutions({ startedAfter, ...query }), startedAfter),
      listRunning(engine)
    ],
    { concurrency: 2 }
  )
  const all = new Map([...ended.runs, ...(running?.data ?? [])].map((run) => [run.id, run]))
  const byWorkflow = grouped(all.values(), ({ workflowId }) => String(workflowId))
  const byId = new Map(workflows.map((workflow) => [workflow.id, workflow]))
  return {
    workflows: [...byWorkflow].map(([id, runs]) => ({
      ...(byId.get(id) ?? { id, name: id }),
      runs: runs.map((run) => rowOf(run, since)).sort((a, b) => a[1] - b[1])
    })),
    // Active workflows that did not run have a lane, too.
    idle: workflows.filter(({ active, id }) => active && !byWorkflow.has(id)).map(({ id, name }) => ({ id, name })),
    ...(ended.isMore ? { isMore: true } : {})
  }
})

/** A run as a short list, of which an answer may hold thousands. */
const rowOf = (run: Execution, since: number) => {
  const seconds = secondsOf(run)
  return [
    run.id,
    Math.round((Date.parse(String(run.startedAt)) - since) / 1000),
    seconds === undefined ? null : Math.round(seconds * 10) / 10,
    statusOf(run)
  ] as const
}
