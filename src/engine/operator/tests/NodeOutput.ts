import { Predicate, Schema } from "effect"

import { JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { inputOf, jsonOf, type NodeRun, type RunData } from "../explain/runData.ts"
import { holdsFiles, noFiles, type Run } from "../run/mocks.ts"

/** An item of a test file; it holds JSON only, no binary data. */
export const item = (message: string) =>
  JsonObject.annotate({ message }).check(Schema.makeFilter((one) => !holdsFiles(one) || noFiles))

const items = (message: string) => Schema.Array(item(message)).annotate({ message })

const inWords = 'a list of items, each an object, or {"outputs": […]}, or {"runs": […]}'
const oneRun = 'a list of items, each an object, or {"outputs": […]}'

const Outputs = Schema.Struct({
  outputs: Schema.Array(items(oneRun)),
  /** The number, from 0 on, of the item that came in for each of them. */
  from: Schema.optionalKey(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))))
}).annotate({ message: oneRun })
const OneRun = Schema.Union([items(oneRun), Outputs]).annotate({ message: `must be ${oneRun}` })

/**
 * A node's output in the form of test files: the items of its only run, `outputs` if they leave by several outputs, `runs`
 * if the node runs several times.
 */
export const NodeOutput = Schema.Union([
  items(inWords),
  Outputs,
  Schema.Struct({ runs: Schema.Array(OneRun) }).annotate({ message: inWords })
]).annotate({ message: `must be ${inWords}` })
export type NodeOutput = typeof NodeOutput.Type

const isList = (given: typeof OneRun.Type): given is ReadonlyArray<JsonObject> => Array.isArray(given)

const runOf = (given: typeof OneRun.Type): Run => (isList(given) ? [given] : given.outputs)

/** The output run by run. */
export const runsOf = (given: NodeOutput): ReadonlyArray<Run> =>
  "runs" in given ? given.runs.map(runOf) : [runOf(given)]

/** For each run, the index of the input item that each output item came from, where the file says so. */
export const sourceItemsOf = (given: NodeOutput): ReadonlyArray<ReadonlyArray<number> | undefined> =>
  ("runs" in given ? given.runs : [given]).map((run) => (isList(run) ? undefined : run.from))

/** The shortest form of a node's output; trailing outputs without items are left out. */
export const toNodeOutput = (
  runs: ReadonlyArray<Run>,
  pairs: ReadonlyArray<ReadonlyArray<number> | undefined> = []
): NodeOutput => {
  const outputs = runs.map((run, index) => {
    const last = run.findLastIndex((items) => items.length > 0)
    const from = pairs[index]
    if (last <= 0 && from === undefined) return run[0] ?? []
    return { outputs: run.slice(0, last + 1), ...(from === undefined ? {} : { from }) }
  })
  const [only, ...others] = outputs
  return only !== undefined && others.length === 0 ? only : { runs: outputs }
}

/** Whether the output is that of every run, as it is unless the file lists the runs. */
export const isForEveryRun = (given: NodeOutput): boolean => !("runs" in given)

/** The output of one run of a node. */
export const itemsOf = ({ outputs }: NodeRun): Run => outputs.map((items) => items.map(jsonOf))

/** A node's output, with the input items that it came from where the engine could not infer these in a test. */
export const recordedOutputOf = (data: RunData, name: string): NodeOutput => {
  const runs = data.runs.filter(({ node }) => node === name)
  return toNodeOutput(
    runs.map(itemsOf),
    runs.map((run) => pairing(data, run))
  )
}

/**
 * The input item of each output item; undefined where the engine infers the same: one item out for each one in, in order,
 * or only one in.
 */
const pairing = (data: RunData, run: NodeRun): ReadonlyArray<number> | undefined => {
  const count = inputOf(data, run).length
  const items = run.outputs.flat()
  const from = items.map(sourceOf)
  if (count < 2 || !from.every(Predicate.isNumber)) return undefined
  const isUsual = items.length === count && from.every((source, place) => source === place)
  const isInOrder = run.outputs.every((list) => {
    const sources = list.map((item) => sourceOf(item) ?? 0)
    return sources.every((source, place) => place === 0 || source >= (sources[place - 1] ?? 0))
  })
  return isUsual || !isInOrder ? undefined : from
}

/** The index of the input item that an output item came from, if that was one of the first input. */
const sourceOf = (item: unknown): number | undefined => {
  const { pairedItem } = objectOf(item)
  const [only, ...others] = Array.isArray(pairedItem) ? pairedItem : [pairedItem]
  const { input = 0, item: index } = Predicate.isNumber(only) ? { item: only } : objectOf(only)
  return others.length === 0 && input === 0 && Predicate.isNumber(index) && index >= 0 ? index : undefined
}
