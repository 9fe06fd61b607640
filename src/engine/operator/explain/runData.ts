import { Predicate } from "effect"

import { grouped } from "../../../internal/collections.ts"
import { clipped } from "../../../internal/foreignText.ts"
import { isJsonObject, type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { nameOf } from "../../workflow/models.ts"

/** One run of one node, as an execution keeps it. */
export interface NodeRun {
  readonly node: string
  /** The index among the node's runs, from 0 on. */
  readonly run: number
  /** Its items, output by output; of a part of an agent, under whatever connection type. */
  readonly outputs: ReadonlyArray<ReadonlyArray<unknown>>
  readonly error: JsonObject | undefined
  readonly whole: JsonObject
}

/** The data of an execution, as far as it was saved. */
export interface RunData {
  /** In the order in which they began. */
  readonly runs: ReadonlyArray<NodeRun>
  readonly error: JsonObject | undefined
  readonly lastNode: string | undefined
  /** Pending node runs at the end: first the node that failed, with its input. */
  readonly stack: ReadonlyArray<JsonObject>
  readonly nodes: ReadonlyArray<JsonObject>
}

export const textIn = (value: unknown): string | undefined =>
  Predicate.isString(value) && value.trim() !== "" ? value : undefined

/** The data of an execution; undefined where it has none. */
export const runDataOf = (execution: JsonObject): RunData | undefined => {
  if (!isJsonObject(execution.data)) return undefined
  const { executionData, resultData } = execution.data
  const { error, lastNodeExecuted, runData } = objectOf(resultData)
  const runs = Object.entries(objectOf(runData)).flatMap(([node, list]) =>
    listOf(list).map((entry, run): NodeRun => {
      const whole = objectOf(entry)
      return { node, run, whole, outputs: outputsOf(whole), error: isJsonObject(whole.error) ? whole.error : undefined }
    })
  )
  return {
    runs: runs.toSorted((a, b) => orderOf(a) - orderOf(b)),
    error: isJsonObject(error) ? error : undefined,
    lastNode: textIn(lastNodeExecuted),
    stack: listOf(objectOf(executionData).nodeExecutionStack).map(objectOf),
    nodes: listOf(objectOf(execution.workflowData).nodes).map(objectOf)
  }
}

/** Newer engines count the runs; older ones only say when they began. */
const orderOf = ({ whole: { executionIndex, startTime } }: NodeRun): number => Number(executionIndex ?? startTime ?? 0)

const outputsOf = ({ data }: JsonObject): ReadonlyArray<ReadonlyArray<unknown>> => {
  const [outputs] = Object.values(objectOf(data))
  return listOf(outputs).map(listOf)
}

/** The node of a name, as the workflow had it when it ran. */
export const nodeNamed = ({ nodes }: RunData, name: string | undefined): JsonObject | undefined =>
  nodes.find((node) => nameOf(node) === name)

/** Whether an engine hides items of the run, as its workflow or instance has it: they are empty then, whatever they were. */
export const isRedacted = ({ runs }: RunData): boolean => runs.some(({ outputs }) => outputs.flat().some(isHidden))

/** Whether an engine shows an item without its content. */
export const isHidden = (item: unknown): boolean => objectOf(objectOf(item).redaction).redacted === true

/** The JSON of an item, without its binary data. */
export const jsonOf = (item: unknown): JsonObject => objectOf(objectOf(item).json)

/** The input of a node run: from the pending runs, else from the outputs of the nodes before it. */
export const inputOf = (data: RunData, { node, whole }: NodeRun): ReadonlyArray<unknown> => {
  const pending = data.stack.find((entry) => objectOf(entry.node).name === node)
  const waiting = firstFilled(Object.values(objectOf(pending?.data)).flatMap(listOf))
  if (whole.error !== undefined && waiting.length > 0) return waiting
  const given = firstFilled(Object.values(objectOf(whole.inputOverride)).flatMap(listOf))
  if (given.length > 0) return given
  return firstFilled(listOf(whole.source).map((source) => itemsFrom(data, objectOf(source))))
}

const firstFilled = (inputs: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  inputs.map(listOf).find((items) => items.length > 0) ?? []

const itemsFrom = ({ runs }: RunData, { previousNode, previousNodeOutput, previousNodeRun }: JsonObject) =>
  runs.find(({ node, run }) => node === previousNode && run === (previousNodeRun ?? 0))?.outputs[
    Number(previousNodeOutput ?? 0)
  ] ?? []

/** The items of a node's last run, of all outputs. */
export const itemsOf = ({ runs }: RunData, name: string): ReadonlyArray<unknown> =>
  runs.findLast(({ node }) => node === name)?.outputs.flat() ?? []

const first = 3
const last = 9

/** The path of the data: every node in the order in which it first ran, with the number of its output items. */
export const runPathOf = (data: RunData): string => {
  const steps = [...byNode(data).entries()].map(([node, runs]) => stepOf(data, node, runs))
  if (steps.length <= first + last + 1) return steps.join(" → ")
  return [...steps.slice(0, first), `… ${steps.length - first - last} more …`, ...steps.slice(-last)].join(" → ")
}

/** Every run of every node, in the order in which they first ran. */
export const byNode = ({ runs }: RunData): ReadonlyMap<string, ReadonlyArray<NodeRun>> =>
  grouped(runs, ({ node }) => node)

const stepOf = (data: RunData, node: string, runs: ReadonlyArray<NodeRun>): string => {
  const name = clipped(node, 40)
  const times = runs.length > 1 ? ` (${runs.length} runs)` : ""
  if (runs.at(-1)?.error !== undefined) return `${name} failed${times}`
  const outputs = Math.max(...runs.map((run) => run.outputs.length), 1)
  const counts = Array.from({ length: outputs }, (_, output) =>
    runs.reduce((sum, run) => sum + (run.outputs[output]?.length ?? 0), 0)
  )
  const passed = passedOver(data, runs).length
  return `${name} ${counts.join("/")}${passed > 0 ? ` (${passed} with errors)` : ""}${times}`
}

/** The errors after which a node that is set to go on has gone on. */
const passedOver = (data: RunData, runs: ReadonlyArray<NodeRun>): ReadonlyArray<unknown> => {
  const node = nodeNamed(data, runs[0]?.node)
  const goesOn = node?.continueOnFail === true || String(node?.onError).startsWith("continue")
  const items = goesOn ? runs.flatMap(({ outputs }) => outputs.flat()) : []
  // Of a large run, not all items were kept.
  const inItems = items.includes(null) ? [] : items.map(errorIn).filter(Predicate.isNotUndefined)
  if (inItems.length > 0 || !goesOn) return inItems
  // A node that fails as a whole gives its input out again, and its error stands beside it; one at the end fails the run.
  const isEnd = data.error !== undefined && node !== undefined && nameOf(node) === data.lastNode
  return runs.slice(0, isEnd ? -1 : undefined).flatMap(({ error }) => (error === undefined ? [] : [error]))
}

/** The error that an item carries in place of a result. */
const errorIn = (item: unknown): unknown => {
  const { error } = jsonOf(item)
  return error ?? (isJsonObject(item) ? item.error : undefined)
}

/** The errors after which the run went on, by node: their number and the first of them. */
export const goneOver = (
  data: RunData
): ReadonlyArray<{ readonly node: string; readonly count: number; readonly error: unknown }> =>
  [...byNode(data).entries()].flatMap(([node, runs]) => {
    const errors = passedOver(data, runs)
    return errors.length === 0 ? [] : [{ node, count: errors.length, error: errors[0] }]
  })
