import { Option, Schema } from "effect"

import { failureClasses } from "../explain/failureClass.ts"
import type { Memory } from "../health/Memory.ts"
import type { Run } from "../health/runs.ts"
import type { Incident, WatchedKind } from "./incidents.ts"
import type { Pending } from "./messages.ts"
import type { WatchedInstance } from "./watchInstance.ts"

/** Everything that a watching process has to remember, in the form in which it is kept. */
export interface WatchState {
  readonly at: number
  /** A number for each change that was told or is to be told. */
  readonly count: number
  readonly open: ReadonlyArray<Incident>
  readonly pending: ReadonlyArray<Pending>
  /** The moments at which each receiver was sent messages within the last hour. */
  readonly sentAt: Readonly<Record<string, ReadonlyArray<number>>>
  readonly instances: Readonly<Record<string, Omit<WatchedInstance, "memory">>>
}

const noState: WatchState = { at: 0, count: 0, open: [], pending: [], sentAt: {}, instances: {} }

const Severity = Schema.Literals(["error", "warning", "info"])
const text = Schema.String
const number = Schema.Finite

const isKind = (value: string): value is WatchedKind => value !== ""
const KindName = Schema.String.pipe(Schema.refine(isKind))

const IncidentKept = Schema.Struct({
  key: text,
  instance: text,
  kind: KindName,
  severity: Severity,
  title: text,
  text,
  since: number,
  members: Schema.Array(Schema.Struct({ kind: KindName, subject: text, name: text, workflowId: Schema.optional(text) }))
})

const StateKept = Schema.fromJsonString(
  Schema.Struct({
    at: number,
    count: number,
    open: Schema.Array(IncidentKept),
    pending: Schema.Array(
      Schema.Struct({
        id: text,
        type: Schema.Literals(["begin", "event", "over"]),
        at: number,
        incident: IncidentKept,
        receivers: Schema.Array(text)
      })
    ),
    sentAt: Schema.Record(text, Schema.Array(number)),
    instances: Schema.Record(
      text,
      Schema.Struct({
        version: Schema.optional(text),
        failures: number,
        testedAt: number,
        versionAt: number,
        changesTo: number
      })
    )
  })
)

const decodeState = Schema.decodeUnknownOption(StateKept)

const RunKept = Schema.Tuple([number, text, text, number, Schema.NullOr(number)])
const CountsKept = Schema.Struct({ ended: number, failed: number })
const Change = Schema.Struct({ when: text, by: text, change: Schema.optionalKey(text), of: Schema.optional(number) })

const ModelTokensKept = Schema.Struct({
  model: text,
  inputTokens: number,
  outputTokens: number,
  cachedTokens: number
})

const MemoryKept = Schema.fromJsonString(
  Schema.Struct({
    instance: text,
    since: number,
    at: number,
    pending: Schema.Array(number),
    runs: Schema.Record(
      text,
      Schema.Struct({
        since: number,
        countedTo: number,
        earlier: CountsKept,
        days: Schema.Array(Schema.Tuple([number, CountsKept])),
        runs: Schema.Array(RunKept)
      })
    ),
    errors: Schema.Record(
      text,
      Schema.Struct({
        execution: number,
        node: Schema.optional(text),
        message: text,
        kind: text,
        class: Schema.Literals(failureClasses),
        cause: Schema.optional(Schema.Struct({ key: text, words: text }))
      })
    ),
    usage: Schema.Record(
      text,
      Schema.Array(Schema.Struct({ execution: number, models: Schema.Array(ModelTokensKept) }))
    ),
    active: Schema.Record(text, number),
    lastChanges: Schema.Record(text, Change)
  })
)

const decodeMemory = Schema.decodeUnknownOption(MemoryKept)

/** The state in what was kept; an empty one where there is none of ours. */
export const readState = ([first]: ReadonlyArray<string>): WatchState =>
  Option.getOrElse(decodeState(first), () => noState)

/** The memories of instances in what was kept; nothing of a line that is not one of ours. */
export const readMemories = ([, ...lines]: ReadonlyArray<string>): ReadonlyMap<string, Memory> => {
  const memories = lines.flatMap((line) =>
    Option.match(decodeMemory(line), {
      onNone: () => [],
      onSome: ({ active, errors, instance, lastChanges, runs, usage, ...memory }) => [
        [
          instance,
          {
            ...memory,
            runs: new Map(
              Object.entries(runs).map(([id, one]) => [
                id,
                { ...one, days: new Map(one.days), runs: one.runs.map(toRun) }
              ])
            ),
            errors: new Map(
              Object.entries(errors).map(([id, { node, ...error }]) => [id, { ...error, node }] as const)
            ),
            usage: new Map(Object.entries(usage)),
            active: new Map(Object.entries(active)),
            lastChanges: new Map(Object.entries(lastChanges))
          } satisfies Memory
        ] as const
      ]
    })
  )
  return new Map<string, Memory>(memories)
}

const toRun = ([id, status, mode, startedAt, seconds]: typeof RunKept.Type): Run => ({
  id,
  status,
  mode,
  startedAt,
  seconds: seconds ?? undefined
})

export const stateLine = (state: WatchState): string => JSON.stringify(state)

export const memoryLine = (instance: string, { active, errors, lastChanges, runs, usage, ...memory }: Memory): string =>
  JSON.stringify({
    instance,
    ...memory,
    runs: Object.fromEntries(
      [...runs].map(([id, one]) => [
        id,
        {
          ...one,
          days: [...one.days],
          runs: one.runs.map(({ id, mode, seconds, startedAt, status }) => [
            id,
            status,
            mode,
            startedAt,
            seconds ?? null
          ])
        }
      ])
    ),
    errors: Object.fromEntries(errors),
    usage: Object.fromEntries(usage),
    active: Object.fromEntries(active),
    lastChanges: Object.fromEntries(lastChanges)
  })
