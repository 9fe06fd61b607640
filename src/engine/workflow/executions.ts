import { Struct, Predicate } from "effect"

import { each, fields, type Selection } from "../../internal/json/Selection.ts"
import { type JsonObject, isJsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { nodesNamed, namesOf, partOfRecord } from "./views.ts"

interface Part {
  /** Only these nodes. */
  readonly nodes?: ReadonlyArray<string> | undefined
  /** At most so many items of each node, from its first run on. */
  readonly items?: number | undefined
}

/** The names of the nodes that ran, and of those that its workflow had. */
export const nodesIn = ({ data, workflowData }: JsonObject): ReadonlyArray<string> => [
  ...new Set([...ranIn(data), ...namesOf(isJsonObject(workflowData) ? workflowData.nodes : undefined)])
]

const ranIn = (data: unknown): ReadonlyArray<string> => Object.keys(runsIn(data) ?? {})

const runsIn = (data: unknown): JsonObject | undefined => {
  const result = isJsonObject(data) ? data.resultData : undefined
  return isJsonObject(result) && isJsonObject(result.runData) ? result.runData : undefined
}

/** The selection of an execution that has to be read to show a part of it. */
export const selectionOf = ({ items, nodes }: Part): Selection => {
  if (nodes === undefined && items === undefined) return "whole"
  const first: Selection = (at) => (typeof at === "string" || at < (items ?? Infinity) ? "whole" : "nothing")
  const outputs = each(each(first))
  const ofNodes = (selection: Selection): Selection => {
    const wanted = nodes && new Set<string | number>(nodes)
    return (name) => (wanted === undefined || wanted.has(name) ? selection : "nothing")
  }
  const resultData = fields({
    runData: ofNodes(each(fields({ data: outputs, inputOverride: outputs }))),
    pinData: ofNodes(first)
  })
  return fields({
    data: fields({ resultData, executionData: "nothing" }),
    workflowData: fields({ pinData: ofNodes(first) })
  })
}

/**
 * An execution with the data of some nodes, or with some items of each, and counts of all that was left out. What an engine
 * keeps to go on with a run is left out as well: it repeats items.
 */
export const partOfExecution = (execution: JsonObject, { items, nodes }: Part): JsonObject => {
  const { data, workflowData } = execution
  const runData = runsIn(data)
  if (!isJsonObject(data) || !isJsonObject(data.resultData) || runData === undefined) {
    return { notice: "The engine shows no data of this execution.", ...execution }
  }
  const wanted = new Set(nodes ?? nodesIn(execution))
  const limit = items ?? Infinity
  const runs = partOfRecord(runData, wanted)
  const cut = Object.entries(runs.kept).map(([name, kept]) => ({ name, ...firstItems(kept, limit) }))
  const dropped = Object.fromEntries(
    cut.filter(({ leftOut }) => leftOut > 0).map(({ leftOut, name }) => [name, leftOut])
  )
  const resultData = {
    ...data.resultData,
    runData: Object.fromEntries(cut.map(({ name, runs }) => [name, runs])),
    ...pinned("pinData", data.resultData, wanted, limit)
  }
  const kept = isJsonObject(workflowData) ? partOfDefinition(workflowData, nodes && wanted, limit) : undefined
  const missing = countNodes(workflowData) - countNodes(kept)
  const missingFields = Object.keys(objectOf(workflowData)).filter((field) => !Object.hasOwn(objectOf(kept), field))
  const missingParts = {
    ...(missing > 0 ? { nodes: missing } : {}),
    ...(missingFields.length > 0 ? { fields: missingFields } : {})
  }
  const isPart = Object.keys(missingParts).length > 0
  const total = Object.keys(runData).length
  const notices = [
    ...(runs.leftOut > 0 ? [`Only ${total - runs.leftOut} of the ${total} nodes that ran are shown.`] : []),
    ...(isPart ? ["workflowData is a part as well: never write it back."] : []),
    ...(Object.keys(dropped).length > 0 ? [`At most ${limit} items of a node are shown.`] : []),
    ...(nodes ?? []).filter((name) => !Object.hasOwn(runData, name)).map((name) => `${name} did not run.`)
  ]
  return {
    ...(notices.length === 0 ? {} : { notice: notices.join(" ") }),
    leftOut: {
      ...(runs.leftOut > 0 ? { nodes: runs.leftOut } : {}),
      ...(Object.keys(dropped).length > 0 ? { items: dropped } : {}),
      ...(isPart ? { workflowData: missingParts } : {}),
      ...("executionData" in data ? { fields: ["data.executionData"] } : {})
    },
    ...execution,
    data: { ...Struct.omit(data, ["executionData"]), resultData },
    ...(kept === undefined ? {} : { workflowData: kept })
  }
}

const countNodes = (workflow: unknown): number =>
  isJsonObject(workflow) && Array.isArray(workflow.nodes) ? workflow.nodes.length : 0

/** The definition that ran, without pinned items that are not shown; of chosen nodes, only they and its name. */
const partOfDefinition = (workflow: JsonObject, wanted: ReadonlySet<string> | undefined, limit: number): JsonObject => {
  const all = new Set(namesOf(workflow.nodes))
  if (wanted === undefined) return { ...workflow, ...pinned("pinData", workflow, all, limit) }
  const nodes = Array.isArray(workflow.nodes) ? { nodes: nodesNamed(workflow.nodes.filter(isJsonObject), wanted) } : {}
  return { ...Struct.pick(workflow, ["id", "name"]), ...nodes, ...pinned("pinData", workflow, wanted, limit) }
}

const pinned = (field: string, holder: JsonObject, wanted: ReadonlySet<string>, limit: number): JsonObject => {
  const whole = holder[field]
  if (!isJsonObject(whole)) return {}
  const { kept } = partOfRecord(whole, wanted)
  const cut = ([name, items]: readonly [string, unknown]): readonly [string, unknown] => [
    name,
    Array.isArray(items) ? items.slice(0, limit) : items
  ]
  return { [field]: Object.fromEntries(Object.entries(kept).map(cut)) }
}

/** The first items of a node over all its runs, and how many more there are; runs and outputs stay as places. */
const firstItems = (runs: unknown, limit: number): { readonly runs: unknown; readonly leftOut: number } => {
  if (!Array.isArray(runs)) return { runs, leftOut: 0 }
  let room = limit
  let leftOut = 0
  const take = (items: ReadonlyArray<unknown>) => {
    const keptItems = items.slice(0, room)
    room -= keptItems.length
    leftOut += items.length - keptItems.length
    return keptItems
  }
  const cut = runs.map((run: unknown) => (isJsonObject(run) ? { ...run, ...inOutputs(run, "data", take) } : run))
  // What a part of an agent was given repeats what others returned: it is cut alike, and not counted again.
  const inputs = cut.map((run: unknown) =>
    isJsonObject(run) ? { ...run, ...inOutputs(run, "inputOverride", (items) => items.slice(0, limit)) } : run
  )
  return { runs: inputs, leftOut }
}

/** Changes the lists of items in `{ main: [[item]] }`, output by output. */
const inOutputs = (
  run: JsonObject,
  field: string,
  change: (items: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
): JsonObject => {
  const types = run[field]
  if (!isJsonObject(types)) return {}
  const changed = Object.entries(types).map(([type, outputs]) => [
    type,
    Array.isArray(outputs) ? outputs.map((items: unknown) => (Array.isArray(items) ? change(items) : items)) : outputs
  ])
  return { [field]: Object.fromEntries(changed) }
}

/**
 * An execution without the `stack` of its errors: they show paths of the engine's server. The engine keeps errors at
 * `data.resultData.error` and in every run of a node; what a workflow itself calls `stack` or `error` is its data.
 */
export const withoutStacks = (whole: JsonObject): JsonObject => {
  const execution: JsonObject = Struct.omit(whole, ["stack"])
  if (!isJsonObject(execution.data) || !isJsonObject(execution.data.resultData)) return execution
  const { data } = execution
  const resultData = withoutError(execution.data.resultData)
  const runData = isJsonObject(resultData.runData) ? { runData: mapValues(resultData.runData, nodeRuns) } : {}
  return { ...execution, data: { ...data, resultData: { ...resultData, ...runData } } }
}

const nodeRuns = (runs: unknown) =>
  Array.isArray(runs) ? runs.map((run: unknown) => (isJsonObject(run) ? withoutError(run) : run)) : runs

const withoutError = (holder: JsonObject): JsonObject =>
  holder.error === undefined ? holder : { ...holder, error: stripped(holder.error) }

const stripped = (error: unknown): unknown => {
  if (Array.isArray(error)) return error.map(stripped)
  if (!isJsonObject(error)) return error
  return mapValues(Struct.omit(error, ["stack"]), stripped)
}

const mapValues = (record: JsonObject, change: (value: unknown) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))

/** A span of time; both ends belong to it. Times are ISO 8601. */
interface Period {
  readonly startedAfter?: string | undefined
  readonly startedBefore?: string | undefined
}

const date = /^\d{4}-\d{2}-\d{2}$/
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i

/** Whether a text is a moment that means the same everywhere: a date, which begins at midnight UTC, or a time with its zone. */
export const isTimestamp = (text: string): boolean =>
  (date.test(text) || time.test(text)) && !Number.isNaN(Date.parse(text)) && isInCalendar(text)

/** `2026-02-30` would be read as a day in March. */
const isInCalendar = (text: string) =>
  new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10))

/** The span in the one spelling that every engine takes. */
export const toUtc = ({ startedAfter, startedBefore }: Period) => ({
  ...(startedAfter === undefined ? {} : { startedAfter: new Date(startedAfter).toISOString() }),
  ...(startedBefore === undefined ? {} : { startedBefore: new Date(startedBefore).toISOString() })
})

/** Whether a moment lies in the span; an execution that has not begun lies in none. */
export const isWithin = (startedAt: unknown, { startedAfter, startedBefore }: Period): boolean => {
  if (startedAfter === undefined && startedBefore === undefined) return true
  const at = Predicate.isString(startedAt) ? Date.parse(startedAt) : Number.NaN
  return (
    (startedAfter === undefined || at >= Date.parse(startedAfter)) &&
    (startedBefore === undefined || at <= Date.parse(startedBefore))
  )
}
