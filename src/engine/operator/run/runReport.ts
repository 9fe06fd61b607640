import { Result } from "effect"

import { clipped } from "../../../internal/foreignText.ts"
import { isSameJson } from "../../../internal/json/digest.ts"
import { jsonBytes } from "../../../internal/json/values.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { type Execution, nameOf } from "../../workflow/models.ts"
import { kindOf } from "../../workflow/triggers.ts"
import { parsePath, withValueAt } from "../../workflow/valuePaths.ts"
import { secondsOf, statusOf } from "../explain/describeExecution.ts"
import { childOf, defined, failureOf, messageOf, placeOf, wordsOf } from "../explain/failure.ts"
import { mostItems } from "../explain/readExecutions.ts"
import {
  byNode,
  goneOver,
  inputOf,
  itemsOf,
  jsonOf,
  nodeNamed,
  type NodeRun,
  type RunData,
  runDataOf
} from "../explain/runData.ts"
import { type Limits, truncateValue } from "../explain/truncate.ts"
import type { Part } from "./Part.ts"
import { expressionsOf, type TemporaryCopy } from "./temporaryCopy.ts"

interface ReportLimits extends Limits {
  /** Items of a node. */
  readonly items: number
  /** Characters of a text that a mocked node would have sent: people ask to read these. */
  readonly sent: number
}

/** Limits to try until the whole is short enough. */
const limitsToTry: ReadonlyArray<ReportLimits> = [
  { text: 160, fields: 12, depth: 3, items: mostItems, sent: 2000 },
  { text: 120, fields: 10, depth: 3, items: 2, sent: 1200 },
  { text: 80, fields: 8, depth: 2, items: 1, sent: 700 },
  { text: 40, fields: 5, depth: 1, items: 1, sent: 300 },
  { text: 24, fields: 3, depth: 1, items: 1, sent: 80 }
]

/** Bytes that a report may have: about 1,200 tokens. */
const most = 4000

/** Nodes that get a row of their own at most. */
const mostNodes = 40

/** The form of a report. */
interface Form {
  /** Whether a report leaves out that a node succeeded, short times, and items that a node only hands on. */
  readonly isBrief: boolean
  /** Whether it leaves out the trigger, whose items are those of the call, or a single empty one. */
  readonly isStartShort: boolean
}

/** The temporary copy that has run, the part of the workflow for which it stands, and the form of its report. */
export interface Reported {
  readonly copy: TemporaryCopy
  readonly part: Part
  readonly form: Form
}

/** The report of a temporary copy's run: a row for each node, under the names of the original workflow. */
export const runReport = (execution: Execution, response: JsonObject | undefined, reported: Reported): JsonObject => {
  const { form, part } = reported
  const data = runDataOf(execution)
  const seconds = secondsOf(execution)
  const isQuick = form.isBrief && seconds !== undefined && seconds < 1
  const head = { status: statusOf(execution), ...(isQuick ? {} : defined("seconds", seconds)) }
  if (data === undefined)
    return { ...head, note: "The engine keeps no data of this run, or it is too large to be read." }
  const responders = new Set(part.nodes.filter((node) => kindOf(node) === "respondToWebhook").map(nameOf))
  const hasResponse = response !== undefined && data.runs.some(({ node }) => responders.has(node))
  const whole = (limits: ReportLimits | undefined) => ({
    ...head,
    ...(hasResponse ? { response: truncateValue(response, limits ?? smallest) } : {}),
    ...detailsOf(data, reported, limits)
  })
  const limits = limitsToTry.find((one) => jsonBytes(whole(one)) <= most)
  return whole(limits)
}

const detailsOf = (data: RunData, { copy, form, part }: Reported, limits: ReportLimits | undefined): JsonObject => {
  const runs = [...byNode(data)].filter(([node]) => !copy.helpers.has(node))
  const ran = new Set(runs.map(([node]) => node))
  const notRun = part.nodes.map(nameOf).filter((name) => !ran.has(name))
  const shownRuns = form.isStartShort ? runs.filter(([node]) => node !== copy.entry) : runs
  const rows = shownRuns.slice(0, mostNodes).map(([node, all]) => {
    const row = rowOf(data, copy, { node, runs: all }, limits)
    return {
      ...(form.isBrief ? briefRow(row, () => handsOn(data, all)) : row),
      ...(limits === undefined ? {} : sentBy(data, copy, nodeOf(part, node), limits))
    }
  })
  return {
    ...failed(data, copy, limits),
    nodes: [...rows, ...(shownRuns.length > mostNodes ? [`and ${shownRuns.length - mostNodes} more`] : [])],
    ...(notRun.length === 0 ? {} : { didNotRun: listed(notRun) })
  }
}

const briefRow = ({ items, ms, status, ...row }: JsonObject, isRepeated: () => boolean): JsonObject => ({
  ...row,
  ...(status === "success" ? {} : { status }),
  ...(Number(ms) < 1000 ? {} : { ms }),
  ...(items === undefined || (status === "success" && isRepeated()) ? {} : { items })
})

/** Whether a node gives out the items that it has taken. */
const handsOn = (data: RunData, runs: ReadonlyArray<NodeRun>): boolean =>
  runs.every((run) => isSameJson(run.outputs.flat().map(jsonOf), inputOf(data, run).map(jsonOf)))

const listed = (names: ReadonlyArray<string>) => [
  ...names.slice(0, 10).map((name) => clipped(name, 60)),
  ...(names.length > 10 ? [`and ${names.length - 10} more`] : [])
]

const rowOf = (
  data: RunData,
  { entry, feeding, mocked }: TemporaryCopy,
  { node, runs }: { readonly node: string; readonly runs: ReadonlyArray<NodeRun> },
  limits: ReportLimits | undefined
): JsonObject => {
  const feeder = feeding.get(node)
  const outputs = Math.max(...runs.map((run) => run.outputs.length), 1)
  const counts = Array.from({ length: outputs }, (_, output) => sum(runs, (run) => run.outputs[output]?.length ?? 0))
  const taking = feeder === undefined ? runs : data.runs.filter((run) => run.node === feeder)
  const isFed = taking.some((run) => sourceOf(run) !== undefined && !handsOver(run, entry))
  const items = runs.flatMap((run) => run.outputs.flat()).slice(0, limits?.items ?? 0)
  const ms = sum(runs, ({ whole: { executionTime } }) => Number(executionTime ?? 0))
  const error = runs.find((run) => run.error !== undefined)?.error
  return {
    node: clipped(node, 60),
    status: mocked.has(node) ? "mocked" : error === undefined ? "success" : "error",
    ...(isFed ? { in: sum(taking, (run) => inputOf(data, run).length) } : {}),
    out: counts.length === 1 ? counts[0] : counts,
    ms,
    ...(runs.length > 1 ? { runs: runs.length } : {}),
    ...(error === undefined ? {} : { error: String(wordsOf(error, 160).message) }),
    ...triesOf(data, node, runs.at(-1)),
    ...(items.length === 0 || limits === undefined
      ? {}
      : { items: items.map((item) => truncateValue(jsonOf(item), limits)) })
  }
}

/** The number of times that a node that fails was tried, as its settings and its time say: engines do not count that. */
const triesOf = (data: RunData, name: string, last: NodeRun | undefined): JsonObject => {
  const node = nodeNamed(data, name)
  const hasFailed = last?.error !== undefined || goneOver(data).some((one) => one.node === name)
  if (node?.retryOnFail !== true || !hasFailed) return {}
  const tries = Math.min(5, Math.max(2, Number(node.maxTries) || 3))
  const wait = Math.min(5000, Number(node.waitBetweenTries) || 1000)
  const waits = Math.floor((Number(last?.whole.executionTime ?? 0) + timerError) / wait)
  return { tries: Math.min(tries, 1 + waits) }
}

/** Milliseconds by which timers may end too early. */
const timerError = 20

const nodeOf = ({ nodes }: Part, name: string) => nodes.find((one) => nameOf(one) === name)

/** The parameters with which a mocked node would have run, for its first items. */
const sentBy = (
  data: RunData,
  { mocked, previewing }: TemporaryCopy,
  node: JsonObject | undefined,
  limits: ReportLimits
): JsonObject => {
  if (node === undefined || !mocked.has(nameOf(node))) return {}
  const preview = previewing.get(nameOf(node))
  const evaluated = preview === undefined ? [{}] : itemsOf(data, preview).slice(0, limits.items)
  const sent = evaluated.map((item) =>
    truncateValue(brief(withExpressions(node, jsonOf(item))), { ...limits, text: limits.sent, depth: sentDepth })
  )
  return isJsonObject(sent[0]) && Object.keys(sent[0]).length > 0 ? { wouldSend: sent } : {}
}

/** The parameters of a node with these values in place of its expressions, which stay where they have none. */
const withExpressions = (node: JsonObject, values: JsonObject): unknown =>
  expressionsOf(node).reduce<unknown>((parameters, { path }, index) => {
    const value = values[`v${index}`]
    const put = Result.flatMap(parsePath(path), (at) => withValueAt(objectOf(parameters), at, value))
    return value === undefined ? parameters : Result.getOrElse(put, () => parameters)
  }, node.parameters)

/** Depth to which parameters are shown: services put texts deep into them. */
const sentDepth = 6

/** Parameters without what is empty; a list of names with values as fields, and for what people choose its name or value. */
const brief = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const named = value.flatMap((one: unknown) => {
      const { name, value: inner } = objectOf(one)
      return typeof name === "string" && inner !== undefined ? [[name, brief(inner)] as const] : []
    })
    return value.length > 0 && named.length === value.length ? Object.fromEntries(named) : value.map(brief)
  }
  if (!isJsonObject(value)) return value
  if (value.__rl === true) return value.cachedResultName ?? value.value
  const entries = Object.entries(value).map(([name, inner]): readonly [string, unknown] => [name, brief(inner)])
  return Object.fromEntries(entries.filter(([, inner]) => !isJsonObject(inner) || Object.keys(inner).length > 0))
}

const sourceOf = ({ whole: { inputOverride, source } }: NodeRun): unknown =>
  inputOverride ?? (Array.isArray(source) && source.length > 0 ? source[0] : undefined)

/** Whether a node was handed what was given to the run, rather than what another node gave out. */
const handsOver = ({ node }: NodeRun, entry: string) => node === entry

const sum = (runs: ReadonlyArray<NodeRun>, of: (run: NodeRun) => number) =>
  runs.reduce((total, run) => total + of(run), 0)

/** The failure of the run, with the item that its node was at. */
const failed = (data: RunData, { helpers }: TemporaryCopy, limits: ReportLimits | undefined): JsonObject => {
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
