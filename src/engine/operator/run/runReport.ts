import { clipped } from "../../../internal/foreignText.ts"
import { jsonBytes } from "../../../internal/json/values.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { type Execution, nameOf } from "../../workflow/models.ts"
import { secondsOf, statusOf } from "../explain/describeExecution.ts"
import { childOf, defined, failureOf, messageOf, placeOf, wordsOf } from "../explain/failure.ts"
import { inputOf, jsonOf, nodeNamed, type NodeRun, type RunData, runDataOf } from "../explain/runData.ts"
import { byNode } from "../explain/runPath.ts"
import { truncateValue, type Limits } from "../explain/truncate.ts"
import type { Part } from "./Part.ts"
import type { TemporaryCopy } from "./temporaryCopy.ts"

/** Limits to try until the whole is short enough. */
const limitsToTry: ReadonlyArray<Limits> = [
  { text: 160, fields: 12, depth: 3 },
  { text: 80, fields: 8, depth: 2 },
  { text: 40, fields: 5, depth: 1 },
  { text: 24, fields: 3, depth: 1 }
]

/** Bytes that a report may have: about 1,200 tokens. */
const most = 4000

/** How many nodes get a row of their own. */
const mostNodes = 40

/** The report of a temporary copy's run: a row for each node, under the names of the original workflow. */
export const runReport = (execution: Execution, copy: TemporaryCopy, part: Part): JsonObject => {
  const data = runDataOf(execution)
  const head = { status: statusOf(execution), ...defined("seconds", secondsOf(execution)) }
  if (data === undefined)
    return { ...head, note: "The engine keeps no data of this run, or it is too large to be read." }
  const whole = (limits: Limits | undefined) => ({ ...head, ...shown(data, copy, part, limits) })
  const limits = limitsToTry.find((one) => jsonBytes(whole(one)) <= most)
  return whole(limits)
}

const shown = (data: RunData, copy: TemporaryCopy, part: Part, limits: Limits | undefined): JsonObject => {
  const runs = [...byNode(data)].filter(([node]) => !copy.helpers.has(node))
  const ran = new Set(runs.map(([node]) => node))
  const notRun = part.nodes.map(nameOf).filter((name) => !ran.has(name))
  const rows = runs.slice(0, mostNodes).map(([node, all]) => rowOf(data, copy, node, all, limits))
  return {
    ...failed(data, copy, limits),
    nodes: [...rows, ...(runs.length > mostNodes ? [`and ${runs.length - mostNodes} more`] : [])],
    ...(notRun.length === 0 ? {} : { didNotRun: listed(notRun) })
  }
}

const listed = (names: ReadonlyArray<string>) => [
  ...names.slice(0, 10).map((name) => clipped(name, 60)),
  ...(names.length > 10 ? [`and ${names.length - 10} more`] : [])
]

const rowOf = (
  data: RunData,
  { entry, feeding }: TemporaryCopy,
  node: string,
  runs: ReadonlyArray<NodeRun>,
  limits: Limits | undefined
): JsonObject => {
  const feeder = feeding.get(node)
  const outputs = Math.max(...runs.map((run) => run.outputs.length), 1)
  const counts = Array.from({ length: outputs }, (_, output) => sum(runs, (run) => run.outputs[output]?.length ?? 0))
  const taking = feeder === undefined ? runs : data.runs.filter((run) => run.node === feeder)
  const isFed = taking.some((run) => sourceOf(run) !== undefined && !handsOver(run, entry))
  const first = runs.flatMap((run) => run.outputs.flat())[0]
  const error = runs.find((run) => run.error !== undefined)?.error
  return {
    node: clipped(node, 60),
    status: feeder !== undefined ? "mocked" : error === undefined ? "success" : "error",
    ...(isFed ? { in: sum(taking, (run) => inputOf(data, run).length) } : {}),
    out: counts.length === 1 ? counts[0] : counts,
    ms: sum(runs, ({ whole: { executionTime } }) => Number(executionTime ?? 0)),
    ...(runs.length > 1 ? { runs: runs.length } : {}),
    ...(error === undefined ? {} : { error: String(wordsOf(error, 160).message) }),
    ...(first === undefined || limits === undefined ? {} : { first: truncateValue(jsonOf(first), limits) })
  }
}

const sourceOf = ({ whole: { inputOverride, source } }: NodeRun): unknown =>
  inputOverride ?? (Array.isArray(source) && source.length > 0 ? source[0] : undefined)

/** Whether a node was handed what was given to the run, rather than what another node gave out. */
const handsOver = ({ node }: NodeRun, entry: string) => node === entry

const sum = (runs: ReadonlyArray<NodeRun>, of: (run: NodeRun) => number) =>
  runs.reduce((total, run) => total + of(run), 0)

/** What the run failed with, and the item that its node was at. */
const failed = (data: RunData, { helpers }: TemporaryCopy, limits: Limits | undefined): JsonObject => {
  const failure = failureOf(data)
  if (failure === undefined) return {}
  const { at, error, input, item } = failure
  const node = nodeNamed(data, at?.node)
  const index = item ?? (input.length === 1 ? 0 : undefined)
  const sub = childOf(failure)
  return {
    failed: {
      ...(at === undefined || helpers.has(at.node) ? {} : { node: at.node }),
      ...(at === undefined ? { message: messageOf(error) } : {}),
      ...wordsOf(error, 400),
      ...placeOf(node, at?.error ?? error),
      ...defined("subWorkflow", sub),
      ...(index === undefined || input[index] === undefined
        ? {}
        : { item: { index, of: input.length, json: truncateValue(jsonOf(input[index]), limits ?? smallest) } })
    }
  }
}

const smallest: Limits = { text: 24, fields: 3, depth: 1 }
