import { Clock, Effect, Result } from "effect"

import { staleWhileRevalidate } from "../../internal/effects.ts"
import type { Gauge } from "../../mcp/Toolset.ts"
import type { EngineClient } from "../client/EngineClient.ts"
import { Instances } from "../client/Instances.ts"
import type { Execution, Page } from "../workflow/models.ts"

/** Milliseconds from one look at the instances to the next. */
const pause = 60_000

/** Hours back from now in which failed executions are counted. */
const hours = 24

/** Failed executions that are counted, at most: one page of them. */
const mostFailures = 250

/**
 * Answers at once with what the last look at all instances found; asking starts the next one in the background, one at a
 * time and at most every minute. Where nobody asks, nobody looks.
 */
export const makeExecutionGauges = Effect.gen(function* () {
  const { names, resolve } = yield* Instances
  const lookAt = (name: string) =>
    Effect.map(Effect.result(Effect.flatMap(resolve(name), executionsOf)), (result) =>
      gaugesOf(name, Result.getOrUndefined(result))
    )
  const lookUp = Effect.forEach(names, lookAt, { concurrency: 4 }).pipe(
    // Nobody waits for it: it belongs to no trace, and would fill the list of them.
    Effect.withTracerEnabled(false),
    Effect.map((gauges): ReadonlyArray<Gauge> => gauges.flat())
  )
  return yield* staleWhileRevalidate({ initial: [], lookUp, pause })
})

interface Executions {
  readonly failed: number
  /** Unix time in seconds; nothing where there is no such execution. */
  readonly lastFailure: number | undefined
  readonly lastSuccess: number | undefined
}

const executionsOf = Effect.fnUntraced(function* (engine: EngineClient["Service"]) {
  const from = (yield* Clock.currentTimeMillis) - hours * 3_600_000
  const startedAfter = new Date(from).toISOString()
  const failed = yield* engine.listExecutions({ status: "error", startedAfter, limit: mostFailures })
  const succeeded = yield* engine.listExecutions({ status: "success", limit: 1 })
  const recent = failed.data.filter(({ startedAt }) => Date.parse(String(startedAt)) >= from)
  return { failed: recent.length, lastFailure: newestOf(failed), lastSuccess: newestOf(succeeded) } satisfies Executions
})

/** When the newest of a list ended, or began where it does not say. */
const newestOf = ({ data: [newest] }: Page<Execution>): number | undefined => {
  const millis = Date.parse(String(newest?.stoppedAt ?? newest?.startedAt))
  return Number.isNaN(millis) ? undefined : millis / 1000
}

/** The executions of an instance as gauges; only that it could not be looked at, where that is so. */
const gaugesOf = (instance: string, executions: Executions | undefined): ReadonlyArray<Gauge> => {
  const gauge = (name: string, help: string, value: number | undefined): ReadonlyArray<Gauge> =>
    value === undefined
      ? []
      : [{ name: `workflow_tool_server.${name}`, help, labels: { "workflow_tool_server.instance": instance }, value }]
  return [
    ...gauge("instance.up", "Whether the last look at the executions of an instance succeeded", executions ? 1 : 0),
    ...gauge(
      "executions.failed",
      `Failed executions of the last ${hours} hours that the engine has kept, ${mostFailures} at most`,
      executions?.failed
    ),
    ...gauge(
      "executions.last_failure",
      "When the newest failed execution ended, in Unix time",
      executions?.lastFailure
    ),
    ...gauge(
      "executions.last_success",
      "When the newest successful execution ended, in Unix time",
      executions?.lastSuccess
    )
  ]
}
