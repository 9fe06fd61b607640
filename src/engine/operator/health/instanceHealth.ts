import { Clock, Effect, Option, Result, Schema } from "effect"

import { grouped } from "../../../internal/collections.ts"
import { fitted, jsonBytes } from "../../../internal/json/values.ts"
import { isoOf } from "../../../internal/time.ts"
import { reads } from "../../../mcp/annotations.ts"
import { Audience } from "../../../mcp/callContext.ts"
import { shownNumber } from "../../../mcp/parameters.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import * as AcrossTool from "../AcrossTool.ts"
import { WorkflowExpectations } from "./expectations.ts"
import type { Finding, Kind } from "./Finding.ts"
import { observe } from "./observe.ts"
import { findingsIn } from "./rules.ts"
import type { Engine } from "./workflowFacts.ts"

const hours = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 744 }, { message: "must be between 1 and 744" }))
  .annotate({ description: "Default 24" })
  .pipe(Schema.withDecodingDefaultKey(Effect.succeed(24)))

const limit = Schema.optionalKey(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 }, { message: "must be between 1 and 50" })).annotate(
    shownNumber("Rows of each kind")
  )
)

export const instanceHealth = AcrossTool.make("instance_health", {
  title: "Instance health",
  description:
    "Tell what is wrong on instances, and why: failures by workflow and error, missed schedules, broken triggers, " +
    "long runs, bad credentials, changes by others",
  annotations: { ...reads, openWorldHint: true },
  arguments: { hours, limit },
  run: Effect.fnUntraced(function* ({ hours, limit }, engines) {
    const now = yield* Clock.currentTimeMillis
    const question = { hours, limit, now, count: engines.length }
    const looked = yield* Effect.forEach(engines, (engine) => Effect.result(healthOf(engine, question)), {
      concurrency: 4
    })
    const errors = yield* Effect.forEach(engines, (engine, index) => {
      const result = looked[index]
      return result === undefined || Result.isSuccess(result)
        ? Effect.succeed([])
        : Effect.map(heardAt(engine), (heard) => [failureRow(engine.instance, result.failure, heard)])
    })
    return {
      since: isoOf(now - hours * 3_600_000),
      data: looked.flatMap((result) => (Result.isSuccess(result) ? [result.success] : [])),
      ...(errors.flat().length === 0 ? {} : { errors: errors.flat() })
    }
  })
})

/** The time at which an instance last answered, if it has. */
export const heardAt = ({ heardAt }: Pick<Engine, "heardAt">) =>
  Effect.map(heardAt, Option.match({ onNone: () => ({}), onSome: (at) => ({ heardAt: isoOf(at) }) }))

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

/** Bytes of an answer about one instance, about all of them together, and the fewest of one. */
const room = 1900
const roomOfAll = 6000
const leastRoom = 700

/** Bytes of the rows of each kind where somebody asks for more. */
const roomOfKind = 8000

const healthOf = Effect.fnUntraced(function* (engine: Engine, { count, hours, limit, now }: Question) {
  const { keyEnds } = yield* Instances
  const { notLookedAt, observation } = yield* observe(engine, {
    from: now - hours * 3_600_000,
    now,
    expectations: yield* WorkflowExpectations,
    keyEndsAt: keyEnds.get(engine.instance),
    isTesting: true
  })
  const { workflows } = observation
  const head = {
    instance: engine.instance,
    ...(yield* heardAt(engine)),
    workflows: workflows.length,
    active: workflows.filter(({ active }) => active).length
  }
  const tail = notLookedAt.length === 0 ? {} : { notLookedAt }
  const rest = jsonBytes({ ...head, ...tail })
  const audience = yield* Audience
  const findings = findingsIn(observation)
  const rows = grouped(audience === "person" ? findings.map(inWords) : findings, ({ kind }) => kind)
  return {
    ...head,
    ...(limit === undefined
      ? fairly(rows, Math.max(leastRoom, Math.min(room, Math.floor(roomOfAll / count)) - rest))
      : Object.assign(
          {},
          ...[...rows].map(([kind, all]) => {
            const wanted = all.slice(0, limit).map(({ row }) => row)
            return rowsOf(kind, all, fitted(wanted, roomOfKind).length)
          })
        )),
    ...tail
  }
})

/** A finding whose row has its words, too: a model makes its own from the facts. */
const inWords = (finding: Finding): Finding => {
  const { name, row, text, workflowId } = finding
  return { ...finding, row: { ...row, name, text, ...(workflowId === undefined ? {} : { workflowId }) } }
}

interface Question {
  readonly hours: number
  readonly limit: number | undefined
  readonly now: number
  /** Instances that share the answer. */
  readonly count: number
}

type Rows = ReadonlyMap<Kind, ReadonlyArray<Finding>>

/** The rows of a kind, and how many more there are. */
const rowsOf = (kind: Kind, all: ReadonlyArray<Finding>, length: number) => ({
  ...(length === 0 ? {} : { [kind]: all.slice(0, length).map(({ row }) => row) }),
  ...(all.length > length ? { [`${kind}More`]: all.length - length } : {})
})

/** Rows of every kind in turn, as many as there is room for, the gravest kinds first. */
const fairly = (rows: Rows, bytes: number): Readonly<Record<string, unknown>> => {
  const counts = new Map<Kind, number>()
  const longest = Math.max(0, ...[...rows.values()].map((all) => all.length))
  let left = bytes - [...rows.keys()].reduce((sum, kind) => sum + 2 * kind.length + 20, 0)
  for (let place = 0; place < longest && left > 0; place++) {
    for (const [kind, all] of rows) {
      const finding = all[place]
      const size = finding === undefined ? 0 : jsonBytes(finding.row) + 1
      // A row is left out with all after it, so that what is told of a kind are its first ones.
      if (finding === undefined || (counts.get(kind) ?? 0) < place || size > left) continue
      counts.set(kind, place + 1)
      left -= size
    }
  }
  return Object.assign({}, ...[...rows].map(([kind, all]) => rowsOf(kind, all, counts.get(kind) ?? 0)))
}
