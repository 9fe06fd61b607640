import { Struct } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { isJsonObject } from "../../internal/schema/JsonObject.ts"
import { chosen, namesOf, partOfRecord } from "./partOfWorkflow.ts"

export interface Part {
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

/**
 * An execution with the data of some nodes, or with some items of each, and what was left out, counted. What an engine
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
  const kept = isJsonObject(workflowData) ? partOfDefinition(workflowData, wanted, limit) : undefined
  const missing = countNodes(workflowData) - countNodes(kept)
  const total = Object.keys(runData).length
  const notices = [
    ...(runs.leftOut > 0 ? [`Only ${total - runs.leftOut} of the ${total} nodes that ran are shown.`] : []),
    ...(missing > 0 ? ["workflowData is a part as well: never write it back."] : []),
    ...(Object.keys(dropped).length > 0 ? [`At most ${limit} items of a node are shown.`] : []),
    ...(nodes ?? []).filter((name) => !Object.hasOwn(runData, name)).map((name) => `${name} did not run.`)
  ]
  return {
    ...(notices.length === 0 ? {} : { notice: notices.join(" ") }),
    leftOut: {
      ...(runs.leftOut > 0 ? { nodes: runs.leftOut } : {}),
      ...(Object.keys(dropped).length > 0 ? { items: dropped } : {}),
      ...(missing > 0 ? { workflowData: { nodes: missing } } : {}),
      ...("executionData" in data ? { fields: ["data.executionData"] } : {})
    },
    ...execution,
    data: { ...Struct.omit(data, ["executionData"]), resultData },
    ...(kept === undefined ? {} : { workflowData: kept })
  }
}

const countNodes = (workflow: unknown): number =>
  isJsonObject(workflow) && Array.isArray(workflow.nodes) ? workflow.nodes.length : 0

/** The definition that ran: with the chosen nodes, and without pinned items that are not shown. */
const partOfDefinition = (workflow: JsonObject, wanted: ReadonlySet<string>, limit: number): JsonObject => ({
  ...workflow,
  ...(Array.isArray(workflow.nodes) ? { nodes: chosen(workflow.nodes.filter(isJsonObject), wanted) } : {}),
  ...pinned("pinData", workflow, wanted, limit)
})

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
    const shown = items.slice(0, room)
    room -= shown.length
    leftOut += items.length - shown.length
    return shown
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
