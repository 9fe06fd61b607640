import { Clock, Duration, Effect, Predicate, Result, Schedule } from "effect"

import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { Item, Source, Step } from "../store/records.ts"
import { Callable, NodeFailure, type Scope } from "./evaluate.ts"
import { type Outcome, perform, type Response } from "./nodes.ts"
import { isEnabled, kindOf } from "./triggers.ts"

/** A node that is about to run. */
export interface Pending {
  readonly node: string
  readonly source: Source | null
  readonly input: ReadonlyArray<Item>
  /** The error with which it fails instead of running. */
  readonly obstacle?: string
}

interface Graph {
  readonly id: string
  readonly name: string
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: JsonObject
}

/** A run with more steps than this is a loop. */
const mostSteps = 1000

/**
 * Runs a workflow from a node on, depth first, as engines do. Steps are added to the caller's list, so that those done are
 * known even if the rest is interrupted. Ends at the first node that fails and is not set to continue.
 */
export const walk = Effect.fnUntraced(function* (
  graph: Graph,
  start: Pending,
  steps: Array<Step>,
  respond: (response: Response) => Effect.Effect<unknown>
) {
  const before = steps.length
  const pending = [start]
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const { input, source } = next
    const node = graph.nodes.find(({ name }) => name === next.node)
    if (node === undefined) continue
    const startTime = yield* Clock.currentTimeMillis
    const index = steps.length - before
    const result = yield* Effect.result(index < mostSteps ? performOrGoOn(graph, node, next, steps) : endless)
    const executionTime = (yield* Clock.currentTimeMillis) - startTime
    const step = { node: next.node, index, startTime, executionTime, source }
    if (Result.isFailure(result)) {
      const { message, thrown } = result.failure
      const problem = { message, timestamp: startTime + executionTime, ...(thrown === undefined ? {} : { thrown }) }
      steps.push({ ...step, outputs: [], failure: { problem, input } })
      return
    }
    const { outputs, response } = result.success
    steps.push({ ...step, outputs, failure: null })
    if (response !== undefined) yield* respond(response)
    pending.unshift(...following(graph.connections, next.node, outputs, runsOf(steps, next.node) - 1))
  }
})

const endless = Effect.fail(new NodeFailure({ message: `The embedded engine stopped after ${mostSteps} steps` }))

const performOrGoOn = (
  graph: Graph,
  node: JsonObject,
  { input, node: name, obstacle }: Pending,
  steps: ReadonlyArray<Step>
) => {
  if (obstacle !== undefined) return Effect.fail(new NodeFailure({ message: obstacle }))
  if (!isEnabled(node)) return Effect.succeed<Outcome>({ outputs: [input] })
  const work = perform(node, { input, scopeOf: (item) => scope(graph, item, input, steps, runsOf(steps, name)) })
  const tried = node.retryOnFail === true ? Effect.retry(work, retries(node)) : work
  if (kindOf(node) === "stopAndError") return tried
  if (node.onError === "continueErrorOutput") {
    const before = Array.from({ length: errorOutputOf(node) }, (): ReadonlyArray<Item> => [])
    return Effect.catch(tried, ({ message }) =>
      Effect.succeed<Outcome>({
        outputs: [
          ...before,
          input.map(({ json }, item) => ({ json: { ...json, error: message }, pairedItem: { item } }))
        ]
      })
    )
  }
  return node.continueOnFail === true || node.onError === "continueRegularOutput"
    ? Effect.catch(tried, ({ message }) => Effect.succeed<Outcome>({ outputs: [[{ json: { error: message } }]] }))
    : tried
}

/** The number of times and the time between them that a node is tried again, within the engine's bounds. */
const retries = ({ maxTries, waitBetweenTries }: JsonObject) => ({
  times: Math.min(5, Math.max(2, Number(maxTries) || 3)) - 1,
  schedule: Schedule.spaced(Duration.millis(Math.min(5000, Math.max(0, Number(waitBetweenTries) || 1000))))
})

/** The output for errors, which comes after all others. */
const errorOutputOf = (node: JsonObject): number => (kindOf(node) === "if" ? 2 : 1)

const runsOf = (steps: ReadonlyArray<Step>, node: string) => steps.filter((step) => step.node === node).length

/** The nodes that follow the outputs of a node; an output without items leads nowhere. */
const following = (
  connections: JsonObject,
  node: string,
  outputs: Outcome["outputs"],
  run: number
): ReadonlyArray<Pending> => {
  const main = objectOf(connections[node]).main
  return outputs.flatMap((input, output) => {
    const targets: unknown = Array.isArray(main) ? main[output] : undefined
    if (input.length === 0 || !Array.isArray(targets)) return []
    return targets
      .map(objectOf)
      .flatMap((target) =>
        Predicate.isString(target.node) ? [{ node: target.node, source: { node, output, run }, input }] : []
      )
  })
}

/** The names an expression can use: the item, the other items, the workflow, and the outputs of earlier nodes. */
const scope = (
  { id, name }: Graph,
  item: Item | undefined,
  input: ReadonlyArray<Item>,
  steps: ReadonlyArray<Step>,
  runIndex: number
): Scope => ({
  $json: item?.json ?? {},
  $input: view(input, item),
  $itemIndex: item === undefined ? 0 : input.indexOf(item),
  $runIndex: runIndex,
  $workflow: { id, name },
  items: input,
  $node: Object.fromEntries(
    steps.map(({ node, outputs: [first = []] }) => [
      node,
      first[item === undefined ? 0 : input.indexOf(item)] ?? first[0]
    ])
  ),
  $items: new Callable(([name]) => steps.findLast(({ node }) => node === name)?.outputs[0] ?? []),
  $: new Callable(([name]) => view(steps.findLast(({ node }) => node === name)?.outputs[0] ?? []))
})

const view = (items: ReadonlyArray<Item>, item = items[0]) => ({
  item,
  first: new Callable(() => items[0]),
  last: new Callable(() => items.at(-1)),
  all: new Callable(() => items)
})
