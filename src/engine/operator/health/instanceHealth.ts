import { Clock, Effect, Option, Result, Schema } from "effect"

import { fitted } from "../../../internal/json/values.ts"
import { reads } from "../../../mcp/annotations.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { firstPages, provingPage } from "../../client/listAll.ts"
import * as AcrossTool from "../AcrossTool.ts"
import { credentialsOf } from "./credentialHealth.ts"
import { longRunsOf } from "./longRuns.ts"
import { missedRunsOf } from "./missedRuns.ts"
import { failuresOf } from "./recentFailures.ts"
import { collisionsOf, workflowFactsOf, type Engine } from "./workflowFacts.ts"

const hours = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 744 }, { message: "must be between 1 and 744" }))
  .annotate({ description: "Default 24" })
  .pipe(Schema.withDecodingDefaultKey(Effect.succeed(24)))

export const instanceHealth = AcrossTool.make("instance_health", {
  title: "Instance health",
  description:
    "Tell what is wrong on instances: failures by workflow and error, missed schedules, triggers that cannot work, long runs, " +
    "bad credentials",
  annotations: { ...reads, openWorldHint: true },
  arguments: { hours },
  run: Effect.fnUntraced(function* ({ hours }, engines) {
    const now = yield* Clock.currentTimeMillis
    const looked = yield* Effect.forEach(engines, (engine) => Effect.result(healthOf(engine, hours, now)), {
      concurrency: 4
    })
    const errors = yield* Effect.forEach(engines, (engine, index) => {
      const result = looked[index]
      return result === undefined || Result.isSuccess(result)
        ? Effect.succeed([])
        : Effect.map(heardAt(engine), (heard) => [failureRow(engine.instance, result.failure, heard)])
    })
    return {
      since: new Date(now - hours * 3_600_000).toISOString(),
      data: looked.flatMap((result) => (Result.isSuccess(result) ? [result.success] : [])),
      ...(errors.flat().length === 0 ? {} : { errors: errors.flat() })
    }
  })
})

/** The time at which an instance last answered, if it has. */
export const heardAt = ({ heardAt }: Pick<Engine, "heardAt">) =>
  Effect.map(heardAt, Option.match({ onNone: () => ({}), onSome: (at) => ({ heardAt: new Date(at).toISOString() }) }))

/** An instance that could not be looked at: whether it refused the key, was not reached, or answered something else. */
export const failureRow = (instance: string, error: EngineError, heard: object) => ({
  instance,
  state: states[error._tag] ?? "other answer",
  error: error.message,
  ...heard
})

const states: { readonly [tag in EngineError["_tag"]]?: string } = {
  AuthenticationFailed: "key refused",
  PermissionDenied: "key refused",
  NetworkError: "not reached",
  Timeout: "not reached"
}

/** Rows of each kind that are shown. */
const mostRows = 20

/** Bytes that they may have. */
const room = 1500

const healthOf = Effect.fnUntraced(function* (engine: Engine, hours: number, now: number) {
  const from = now - hours * 3_600_000
  const census = yield* workflowsOf(engine)
  const { workflows } = census
  const names = new Map(workflows.map(({ id, name }) => [id, name]))
  const [failures, missed, long, credentials] = yield* Effect.all(
    [
      part("failures", failuresOf(engine, new Date(from).toISOString(), names)),
      part("schedules", missedRunsOf(engine, workflows, from, now)),
      part("running executions", longRunsOf(engine, names, now)),
      part("credentials", credentialsOf(engine, workflows))
    ],
    { concurrency: 2 }
  )
  const noWorkingTrigger = workflows.flatMap(({ triggerProblem, id, name }) =>
    triggerProblem === undefined ? [] : [{ workflow: name, id, why: triggerProblem }]
  )
  const notLookedAt = [
    ...(census.isMore ? [`workflows beyond the first ${workflows.length}`] : []),
    ...[failures, missed, long, credentials].flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
    ...(failures.value?.isMore === true ? ["earlier failures: there are more than were listed"] : []),
    ...count(missed.value?.unsaved, "schedules of workflows that save no successful runs"),
    ...count(missed.value?.left, "further scheduled workflows"),
    ...count(missed.value?.unread, "workflows with a schedule that only the engine can read"),
    ...(long.problem === undefined && long.value === undefined
      ? ["running executions: this engine's API does not list them"]
      : []),
    ...(long.value?.isMore === true ? ["further running executions"] : []),
    ...(credentials.problem === undefined && credentials.value === undefined
      ? ["credentials: this engine's API does not list them"]
      : []),
    ...(credentials.value?.lack === undefined
      ? count(credentials.value?.untested, "credentials in use that the engine could not test")
      : ["tests of credentials: this engine's API has none"])
  ]
  return {
    instance: engine.instance,
    ...(yield* heardAt(engine)),
    workflows: workflows.length,
    active: workflows.filter(({ active }) => active).length,
    ...rows("failures", failures.value?.rows),
    ...rows("missedSchedules", missed.value?.rows),
    ...rows("rarerThanBefore", missed.value?.slower),
    ...rows("noWorkingTrigger", noWorkingTrigger),
    ...rows("webhooksThatCollide", collisionsOf(workflows)),
    ...rows("runningTooLong", long.value?.rows),
    ...rows("credentialsGone", credentials.value?.gone),
    ...rows("credentialsFailing", credentials.value?.failing),
    ...rows("credentialsUnused", census.isMore ? [] : credentials.value?.unused),
    ...(notLookedAt.length === 0 ? {} : { notLookedAt })
  }
})

const rows = (name: string, all: ReadonlyArray<object> = []) => {
  const shownRows = fitted(all.slice(0, mostRows), room)
  return all.length === 0
    ? {}
    : {
        [name]: shownRows,
        ...(all.length > shownRows.length ? { [`${name}More`]: all.length - shownRows.length } : {})
      }
}

const count = (number: number | undefined, what: string): ReadonlyArray<string> =>
  number === undefined || number === 0 ? [] : [`${number} ${what}`]

/** One part of an instance's health; where it fails, the other parts are still reported. */
const part = <A, R>(what: string, look: Effect.Effect<A, EngineError, R>) =>
  Effect.match(look, {
    onSuccess: (value) => ({ value, problem: undefined }),
    onFailure: (error) => ({ value: undefined, problem: `${what}: ${error.message}` })
  })

const mostPages = 20

const workflowsOf = (engine: Engine) =>
  Effect.map(
    firstPages(
      (query) => provingPage(engine)(engine.listWorkflows(query)),
      { limit: 100, pages: mostPages },
      (page) => page.map(workflowFactsOf).filter((facts) => facts !== undefined)
    ),
    ({ matches: workflows, isWhole }) => ({ workflows, isMore: !isWhole })
  )
