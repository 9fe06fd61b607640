import { Effect, Predicate } from "effect"

import type { EngineError } from "../../client/EngineError.ts"
import { secondsOf } from "../explain/describeExecution.ts"
import type { Engine } from "./workflowFacts.ts"

/** Running executions that are checked at most. */
const mostRunning = 20

/** Seconds after which a run is too long where its usual duration is unknown. */
const longSeconds = 3600

/**
 * Executions that have been running far longer than the last successful ones of their workflow; undefined where the engine
 * does not list running executions.
 */
export const longRunsOf = Effect.fnUntraced(function* (
  engine: Engine,
  names: ReadonlyMap<string, string>,
  now: number
) {
  const running = yield* runningOf(engine)
  if (running === undefined) return undefined
  const rows = yield* Effect.forEach(
    running.data.slice(0, mostRunning),
    (run) =>
      Effect.gen(function* () {
        const workflowId = String(run.workflowId)
        const past = yield* engine.listExecutions({ workflowId, status: "success", limit: 20 })
        const usual = median(past.data.map(secondsOf).filter(Predicate.isNotUndefined))
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

/** The executions that run now; undefined where the engine does not list them. */
export const runningOf = (engine: Engine) =>
  engine
    .listExecutions({ status: "running", limit: mostRunning })
    .pipe(Effect.catchIf(isUnknownStatus, () => Effect.succeed(undefined)))

/** Whether an engine refuses the status `running`, as older ones do, which never list running executions. */
const isUnknownStatus = (error: EngineError) =>
  error._tag === "ApiError" && error.httpStatus === 400 && error.problem.startsWith("request/query/status")

const median = (values: ReadonlyArray<number>): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
