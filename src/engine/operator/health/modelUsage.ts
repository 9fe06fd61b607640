import { Effect, Option } from "effect"

import { ExecutionId } from "../../workflow/models.ts"
import { callsOnly, modelCallsIn } from "../ai/modelCalls.ts"
import { costOf, type ModelTokens, priceOf } from "../ai/ModelPrices.ts"
import type { Finding } from "./Finding.ts"
import { about } from "./missedRuns.ts"
import type { Observation, RunUsage } from "./Observation.ts"
import { isUsualSuccess, noRuns, rise, type Runs } from "./runs.ts"
import type { Engine, WorkflowFacts } from "./workflowFacts.ts"

/** Records of runs that are read at each look. */
const mostRead = 10

const noUsage: ReadonlyArray<RunUsage> = []

/**
 * The tokens of the last runs of workflows that ask language models: those that are remembered, and some that are read now: of the
 * workflows of which least is known first, so that in the course of some looks the past of each becomes known.
 */
export const readUsage = Effect.fnUntraced(function* (
  engine: Engine,
  workflows: ReadonlyArray<WorkflowFacts>,
  runs: ReadonlyMap<string, Runs>,
  before: ReadonlyMap<string, ReadonlyArray<RunUsage>> = new Map()
) {
  const asking = workflows
    .filter(({ active, asksModels }) => active && asksModels)
    .map(({ id }) => {
      const present = (runs.get(id) ?? noRuns).runs.filter(isUsualSuccess)
      const ids = new Set(present.map((run) => run.id))
      const remembered = (before.get(id) ?? noUsage).filter(({ execution }) => ids.has(execution))
      const read = new Set(remembered.map(({ execution }) => execution))
      return { id, remembered, unread: present.filter((run) => !read.has(run.id)) }
    })
  const wanted = asking
    .flatMap(({ id, remembered, unread }) =>
      unread.map((run, place) => ({ id, run, place: remembered.length + place }))
    )
    .toSorted((a, b) => a.place - b.place || b.run.id - a.run.id)
    .slice(0, mostRead)
  const added = yield* Effect.forEach(wanted, ({ id, run }) =>
    Effect.map(Effect.option(engine.getExecution(ExecutionId.make(run.id), true, callsOnly)), (record) => ({
      id,
      usage: { execution: run.id, models: byModel(Option.match(record, { onNone: () => [], onSome: modelCallsIn })) }
    }))
  )
  return new Map(
    asking.map(({ id, remembered }) => [
      id,
      [...remembered, ...added.flatMap((one) => (one.id === id ? [one.usage] : []))].toSorted(
        (a, b) => b.execution - a.execution
      )
    ])
  )
})

const byModel = (calls: ReadonlyArray<ModelTokens>): ReadonlyArray<ModelTokens> => {
  const sums = new Map<string, ModelTokens>()
  for (const { cachedTokens, inputTokens, model, outputTokens } of calls) {
    const sum = sums.get(model)
    sums.set(model, {
      model,
      inputTokens: inputTokens + (sum?.inputTokens ?? 0),
      outputTokens: outputTokens + (sum?.outputTokens ?? 0),
      cachedTokens: cachedTokens + (sum?.cachedTokens ?? 0)
    })
  }
  return [...sums.values()]
}

/** Tokens by which a run has to take more, beside twice as many as usual. */
const slackTokens = 500

/** Workflows whose last runs cost far more by their language models than usual; where a price is lacking, tokens count. */
export const dearerWorkflows = ({ prices, usage, workflows }: Observation): ReadonlyArray<Finding> =>
  workflows.flatMap((workflow) => {
    const runs = usage.get(workflow.id) ?? noUsage
    const isPriced = runs.every(({ models }) => models.every(({ model }) => priceOf(prices, model) !== undefined))
    const dearer = isPriced ? rise(runs.map(costIn(prices)), 0) : rise(runs.map(tokensIn), slackTokens)
    if (dearer === undefined) return []
    const [last, usual] = [figureOf(dearer.last), figureOf(dearer.usual)]
    const { id, name } = workflow
    const row = {
      workflow: name,
      id,
      ...(isPriced ? { costPerRun: last, usualCost: usual } : { tokensPerRun: last, usualTokens: usual })
    }
    const text = isPriced
      ? `cost ${last} a run by its language models at its last runs; ${usual} is usual`
      : `used ${last} tokens a run at its last runs; ${usual} are usual`
    return [{ kind: "dearerThanUsual", ...about(workflow), text, row }]
  })

/** Three digits that count. */
const figureOf = (value: number): number => (value >= 100 ? Math.round(value) : Number(value.toPrecision(3)))

const sumOf = (numbers: ReadonlyArray<number>): number => numbers.reduce((sum, one) => sum + one, 0)

const costIn =
  (prices: Observation["prices"]) =>
  ({ models }: RunUsage): number =>
    sumOf(models.map((one) => costOf(one, prices)))

const tokensIn = ({ models }: RunUsage): number =>
  sumOf(models.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens))
