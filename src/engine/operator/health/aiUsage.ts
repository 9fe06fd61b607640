import { Clock, Effect, Option, Result, Schema } from "effect"

import { grouped } from "../../../internal/collections.ts"
import { clipped } from "../../../internal/foreignText.ts"
import { fitted, jsonBytes } from "../../../internal/json/values.ts"
import { isoOf } from "../../../internal/time.ts"
import { reads } from "../../../mcp/annotations.ts"
import { spanOf } from "../../../mcp/moments.ts"
import { firstPages } from "../../client/listAll.ts"
import { ExecutionId } from "../../workflow/models.ts"
import * as AcrossTool from "../AcrossTool.ts"
import { callsOnly, type ModelCall, modelCallsIn } from "../ai/modelCalls.ts"
import { costOf, type ModelPrice, ModelPrices, priceOf } from "../ai/ModelPrices.ts"
import { failureRow, heardAt } from "./instanceHealth.ts"
import { executionsSince } from "./recentFailures.ts"
import { type Engine, workflowFactsOf } from "./workflowFacts.ts"

const by = Schema.Literals(["workflow", "model", "node", "day"])
  .annotate({ description: "Default workflow" })
  .pipe(Schema.withDecodingDefaultKey(Effect.succeed("workflow" as const)))
const since = Schema.optionalKey(
  Schema.String.annotate({ description: "today, monday, 2026-11-21 or a time; default: 7 days ago" })
)

const week = 7 * 86_400_000

/** Rows of an answer, and its bytes. */
const mostRows = 5
const room = 1900

export const aiUsage = AcrossTool.make("ai_usage", {
  title: "AI usage",
  description:
    "Count what language models cost: calls and tokens from the records of runs, money by the configured prices; the five dearest " +
    "with their change against the period before",
  annotations: reads,
  arguments: { since, by },
  run: Effect.fnUntraced(function* ({ by, since }, engines) {
    const now = yield* Clock.currentTimeMillis
    const from = since === undefined ? now - week : (yield* spanOf("since", since, now)).from
    const prices = yield* ModelPrices
    const read = yield* Effect.forEach(
      engines,
      (engine) =>
        Effect.flatMap(Effect.result(usageOf(engine, from, now)), (result) =>
          Effect.map(heardAt(engine), (heard) => ({ engine, heard, result }))
        ),
      { concurrency: 4 }
    )
    const errors = read.flatMap(({ engine, heard, result }) =>
      Result.isFailure(result) ? [failureRow(engine.instance, result.failure, heard)] : []
    )
    const usages = read.flatMap(({ result }) => (Result.isSuccess(result) ? [result.success] : []))
    return {
      since: isoOf(from),
      ...answerOf(usages, { by, from, prices }),
      ...(errors.length === 0 ? {} : { errors })
    }
  })
})

/** A call with its run. */
interface PlacedCall extends ModelCall {
  readonly instance: string
  readonly workflow: string
  readonly at: number
}

interface Usage {
  readonly calls: ReadonlyArray<PlacedCall>
  readonly runs: number
  /** Runs that were not read as there are too many, and those that hold no data. */
  readonly left: number
  readonly lost: number
}

/** Runs of an instance whose records are read, half of them for the period before. */
const mostRead = 200

/** Pages of runs and of workflows that are listed. */
const mostPages = 8
const mostWorkflowPages = 20

/** The calls of models since a moment, and in the period of the same length before it. */
const usageOf = Effect.fnUntraced(function* (engine: Engine, from: number, now: number) {
  const { matches: workflows } = yield* firstPages(
    (query) => engine.listWorkflows({ ...query, excludePinnedData: true }),
    { limit: 100, pages: mostWorkflowPages },
    (page) => page.map(workflowFactsOf).filter((facts) => facts !== undefined)
  )
  const names = new Map(workflows.flatMap(({ asksModels, id, name }) => (asksModels ? [[id, name] as const] : [])))
  const begin = new Date(from - (now - from)).toISOString()
  const lists = yield* Effect.forEach(
    [...names.keys()],
    (workflowId) =>
      executionsSince(
        (query) => engine.listExecutions({ workflowId, startedAfter: begin, ...query }),
        begin,
        mostPages
      ),
    { concurrency: 4 }
  )
  const runs = lists
    .flatMap((one) => one.runs)
    .map((run) => ({ id: run.id, workflowId: String(run.workflowId), at: Date.parse(String(run.startedAt)) }))
    .toSorted((a, b) => b.at - a.at)
  const [present, former] = [runs.filter(({ at }) => at >= from), runs.filter(({ at }) => at < from)]
  const read = [...present.slice(0, mostRead / 2), ...former.slice(0, mostRead / 2)]
  const records = yield* Effect.forEach(
    read,
    (run) =>
      Effect.map(Effect.option(engine.getExecution(ExecutionId.make(run.id), true, callsOnly)), (record) => ({
        run,
        record
      })),
    { concurrency: 4 }
  )
  const calls = records.flatMap(({ record, run: { at, workflowId } }) =>
    Option.match(record, { onNone: () => [], onSome: modelCallsIn }).map((call): PlacedCall => ({
      ...call,
      instance: engine.instance,
      workflow: names.get(workflowId) ?? workflowId,
      at
    }))
  )
  const lost = records.filter(({ record }) => Option.isNone(record) || record.value.data === undefined).length
  return { calls, runs: runs.length, left: runs.length - read.length, lost } satisfies Usage
})

interface Question {
  readonly by: "day" | "model" | "node" | "workflow"
  readonly from: number
  readonly prices: Readonly<Record<string, ModelPrice>>
}

const answerOf = (usages: ReadonlyArray<Usage>, { by, from, prices }: Question) => {
  const calls = usages.flatMap((usage) => usage.calls)
  const [present, former] = [calls.filter(({ at }) => at >= from), calls.filter(({ at }) => at < from)]
  const before = new Map([...grouped(former, keyOf(by))].map(([key, some]) => [key, sumOf(some, prices)]))
  const rows = [...grouped(present, keyOf(by))]
    .map(([key, some]) => ({ key, some, sum: sumOf(some, prices) }))
    .toSorted((a, b) => (b.sum.cost ?? 0) - (a.sum.cost ?? 0) || tokensOf(b.sum) - tokensOf(a.sum))
  const unpriced = [...new Set(present.flatMap(({ model }) => (priceOf(prices, model) === undefined ? [model] : [])))]
  const sum = (of: (usage: Usage) => number) => usages.reduce((all, usage) => all + of(usage), 0)
  const unread = sum(({ left, lost }) => left + lost)
  // Parts of two periods say nothing about the change from one to the other.
  const change = sum(({ left }) => left) > 0 ? () => ({}) : changeOf
  const estimated = present.filter(({ isEstimated }) => isEstimated).length
  const notes = [
    ...(unread > 0 ? [`${unread} of ${sum(({ runs }) => runs)} runs were not read, or hold no data`] : []),
    ...(estimated > 0
      ? [`the tokens of ${estimated} ${estimated === 1 ? "call" : "calls"} are estimates of the engine`]
      : []),
    ...(unpriced.length > 0
      ? [
          `no price is configured for ${unpriced
            .slice(0, 5)
            .map((one) => clipped(one, 60))
            .join(", ")}`
        ]
      : [])
  ]
  const total = sumOf(present, prices)
  const head = { by, total: { ...total, ...change(total, before.size === 0 ? undefined : sumOf(former, prices)) } }
  const tail = notes.length === 0 ? {} : { notes }
  const dearest = rows
    .slice(0, mostRows)
    .map(({ key, some, sum }) => ({ ...placeOf(by, some[0]), ...sum, ...change(sum, before.get(key)) }))
  const data = fitted(dearest, room - jsonBytes({ ...head, ...tail }))
  return { ...head, data, ...(rows.length > data.length ? { more: rows.length - data.length } : {}), ...tail }
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

const keyOf =
  (by: Question["by"]) =>
  ({ at, instance, model, node, workflow }: PlacedCall): string =>
    JSON.stringify(
      { workflow: [instance, workflow], model: [model], node: [instance, workflow, node], day: [dayOf(at)] }[by]
    )

const longest = 60

const placeOf = (by: Question["by"], call: PlacedCall | undefined) => {
  if (call === undefined) return {}
  const { at, instance, model, node, workflow } = call
  const place = { instance, workflow: clipped(workflow, longest) }
  if (by === "workflow") return place
  if (by === "node") return { ...place, node: clipped(node, longest) }
  return by === "model" ? { model: clipped(model, longest) } : { day: dayOf(at) }
}

interface Sum {
  readonly calls: number
  readonly failed?: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens?: number
  readonly cost?: number
}

const sumOf = (calls: ReadonlyArray<ModelCall>, prices: Question["prices"]): Sum => {
  const add = (of: (call: ModelCall) => number) => calls.reduce((sum, call) => sum + of(call), 0)
  const failed = calls.filter(({ isFailed }) => isFailed).length
  const cachedTokens = add((call) => call.cachedTokens)
  const isPriced = calls.some(({ model }) => priceOf(prices, model) !== undefined)
  return {
    calls: calls.length,
    ...(failed === 0 ? {} : { failed }),
    inputTokens: add((call) => call.inputTokens),
    outputTokens: add((call) => call.outputTokens),
    ...(cachedTokens === 0 ? {} : { cachedTokens }),
    ...(isPriced ? { cost: Math.round(add((call) => costOf(call, prices)) * 1_000_000) / 1_000_000 } : {})
  }
}

const tokensOf = ({ inputTokens, outputTokens }: Sum): number => inputTokens + outputTokens

/** The change against the period before, of the cost or else of the tokens. */
const changeOf = (sum: Sum, before: Sum | undefined) => {
  if (before === undefined) return {}
  const [is, was] =
    sum.cost === undefined || before.cost === undefined ? [tokensOf(sum), tokensOf(before)] : [sum.cost, before.cost]
  return was === 0 ? {} : { change: `${is >= was ? "+" : ""}${Math.round((is / was - 1) * 100)} %` }
}
