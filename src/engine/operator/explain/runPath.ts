import { clipped } from "../../../internal/foreignText.ts"
import { isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { type NodeRun, jsonOf, nodeNamed, type RunData } from "./runData.ts"

const first = 3
const last = 9

/** The way that the data took: every node in the order in which it first ran, and how many items it gave out. */
export const runPathOf = (data: RunData): string => {
  const steps = [...byNode(data).entries()].map(([node, runs]) => stepOf(data, node, runs))
  if (steps.length <= first + last + 1) return steps.join(" → ")
  return [...steps.slice(0, first), `… ${steps.length - first - last} more …`, ...steps.slice(-last)].join(" → ")
}

/** Every run of every node, in the order in which they first ran. */
export const byNode = ({ runs }: RunData): ReadonlyMap<string, ReadonlyArray<NodeRun>> => {
  const found = new Map<string, Array<NodeRun>>()
  for (const run of runs) {
    const known = found.get(run.node)
    if (known === undefined) found.set(run.node, [run])
    else known.push(run)
  }
  return found
}

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

/** Items that hold the error of a node that is set to go on after one. */
const passedOver = (data: RunData, runs: ReadonlyArray<NodeRun>): ReadonlyArray<unknown> => {
  const node = nodeNamed(data, runs[0]?.node)
  const goesOn = node?.continueOnFail === true || String(node?.onError).startsWith("continue")
  const items = goesOn ? runs.flatMap(({ outputs }) => outputs.flat()) : []
  // Of a large run, not all items were kept.
  return items.includes(null) ? [] : items.filter((item) => errorIn(item) !== undefined)
}

/** The error that an item carries in place of a result. */
const errorIn = (item: unknown): unknown => {
  const { error } = jsonOf(item)
  return error ?? (isJsonObject(item) ? item.error : undefined)
}

/** The errors that the run went on after: by node, how many, of how many, and the first of them. */
export const goneOver = (
  data: RunData
): ReadonlyArray<{ readonly node: string; readonly count: number; readonly error: unknown }> =>
  [...byNode(data).entries()].flatMap(([node, runs]) => {
    const items = passedOver(data, runs)
    return items.length === 0 ? [] : [{ node, count: items.length, error: errorIn(items[0]) }]
  })
