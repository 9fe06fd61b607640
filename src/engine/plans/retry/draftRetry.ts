import { Result } from "effect"

import type { Blocked } from "../../../changes/Plan.ts"
import { clipped, listed } from "../../../internal/foreignText.ts"
import type { UpstreamRequest } from "../../../internal/http/Upstream.ts"
import type { Workflow } from "../../workflow/models.ts"
import type { Change } from "../Change.ts"
import { type Draft, stepOf } from "../Step.ts"
import type { FailedExecution } from "./selectRuns.ts"

/** A failed run that is to be retried: by the engine, or by a call anew where the engine has no retry. */
export interface RetriedRun extends FailedExecution {
  /** Undefined where the engine retries; else why it does not, or why a call anew is not possible. */
  readonly anew: Result.Result<string, string> | undefined
  readonly call: Result.Result<UpstreamRequest, string>
}

/** The failed runs of one workflow, or the reason why none of an instance is planned. */
export type RetryGroup =
  | { readonly instance: string; readonly blocked: string }
  | {
      readonly instance: string
      readonly workflow: Workflow
      /** Oldest first. */
      readonly runs: ReadonlyArray<RetriedRun>
      /** Runs that another one of the same key stands for. */
      readonly others: number
      /** Runs without a value of the key. */
      readonly noKey: number
      /** Later successes of which the key is not known. */
      readonly unread: number
      readonly otherClasses: number
      /** Reasons why listed failures are not retried, one for each. */
      readonly left: ReadonlyArray<string>
    }

interface Options {
  readonly latest_version?: boolean | undefined
  readonly per_minute?: number | undefined
}

/** Nodes that a warning names. */
const mostNamed = 4

/** Values that are counted by name; the others are counted together. */
const mostCounted = 8

const countsOf = (values: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const rows = [...counts].toSorted(([, a], [, b]) => b - a)
  const rest = rows.slice(mostCounted).reduce((sum, [, count]) => sum + count, 0)
  return Object.fromEntries([...rows.slice(0, mostCounted), ...(rest === 0 ? [] : [["others", rest] as const])])
}

/** A plan of retries, with its numbers: the oldest runs come first. */
export const draftRetry = (
  groups: ReadonlyArray<RetryGroup>,
  { latest_version: latest = false, per_minute }: Options
) => {
  const planned = groups.flatMap((group) => ("workflow" in group ? [group] : []))
  const rows = planned.flatMap(({ instance, runs, workflow }) => runs.map((run) => ({ instance, run, workflow })))
  const possible = rows.filter(({ run: { anew } }) => anew === undefined || Result.isSuccess(anew))
  const steps = possible
    .toSorted((a, b) => Date.parse(String(a.run.execution.startedAt)) - Date.parse(String(b.run.execution.startedAt)))
    .map(({ instance, run, workflow }) => {
      const { anew, execution } = run
      const change: Change = {
        kind: anew === undefined ? "retry" : "run-anew",
        instance,
        execution: execution.id,
        workflow: workflow.id,
        name: workflow.name,
        labels: (workflow.tags ?? []).map(({ name }) => name),
        ...(per_minute === undefined ? {} : { interval: Math.round(60_000 / per_minute) }),
        ...(anew === undefined && latest ? { latest } : {})
      }
      return stepOf(change, `${run.class}, ${String(execution.startedAt)}`)
    })
  const anewRows = possible.filter(({ run }) => run.anew !== undefined)
  const impossible = rows.flatMap(({ run: { anew, execution }, workflow }): ReadonlyArray<Blocked> =>
    anew === undefined || Result.isSuccess(anew)
      ? []
      : [{ what: `execution ${execution.id} of ${clipped(workflow.name, 60)}`, reason: anew.failure }]
  )
  const acted = (some: typeof rows) => [
    ...new Set(some.flatMap(({ run }) => run.acted.map((name) => clipped(name, 40))))
  ]
  const notRepeated = acted(possible.filter(({ run }) => run.anew === undefined))
  const repeated = acted(anewRows)
  const sum = (of: (group: (typeof planned)[number]) => number) =>
    planned.reduce((total, group) => total + of(group), 0)
  const unread = sum((one) => one.unread)
  const draft: Draft = {
    kind: "retry",
    steps,
    warnings: [
      ...(repeated.length === 0
        ? []
        : [
            `${anewRows.length} runs begin anew, and repeat what already acted outside: ${listed(repeated, mostNamed)}`
          ]),
      ...(notRepeated.length === 0
        ? []
        : [`A retry goes on at the node that failed, and does not repeat ${listed(notRepeated, mostNamed)}`]),
      ...(unread === 0
        ? []
        : [`The key of ${unread} later successes could not be read: a run that they made up for may be among these`]),
      ...(latest && anewRows.length > 0 ? ["A run anew always runs the workflow as it is now"] : [])
    ],
    blocked: [
      ...groups.flatMap((group) => ("blocked" in group ? [{ what: group.instance, reason: group.blocked }] : [])),
      ...impossible
    ]
  }
  const left = countsOf(planned.flatMap((group) => group.left))
  const [others, noKey, otherClasses] = [
    sum((one) => one.others),
    sum((one) => one.noKey),
    sum((one) => one.otherClasses)
  ]
  return {
    draft,
    answer: {
      classes: countsOf(possible.map(({ run }) => run.class)),
      workflows: countsOf(possible.map(({ workflow }) => clipped(workflow.name, 40))),
      ...(anewRows.length === 0 ? {} : { anew: anewRows.length }),
      ...(Object.keys(left).length === 0 ? {} : { not_retried: left }),
      ...(others === 0 ? {} : { same_key: others }),
      ...(noKey === 0 ? {} : { without_key: noKey }),
      ...(otherClasses === 0 ? {} : { other_classes: otherClasses })
    }
  }
}
