import { isJsonObject, type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { ExecutionRecord, Item, Snapshot, Step } from "../store/records.ts"
import { chance, type Ending, type Runs, type SeedWorkflow, type Starts, type Turn } from "./forms.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Days whose runs a seeded engine remembers, and runs of one workflow at most. */
const days = 3
const mostRuns = 60

/** The run that just began would still be under way. */
const newest = 3 * minute

/** The moments at which runs began, the newest first. */
const startsOf = (starts: Starts, name: string, now: number): ReadonlyArray<number> => {
  if ("calls" in starts) {
    const apart = day / starts.calls
    return Array.from({ length: starts.calls * days }, (_, number) =>
      Math.round(now - (number + 0.15 + 0.7 * chance(name, number)) * apart)
    )
  }
  const apart = "everyMinutes" in starts ? starts.everyMinutes * minute : day
  const offset = (starts.atMinute ?? 0) * minute
  const last = Math.floor((now - newest - offset) / apart) * apart + offset
  const length = Math.min(Math.floor((days * day) / apart), mostRuns)
  const times = Array.from({ length }, (_, number) => last - number * apart)
  return "onWeekdays" in starts && starts.onWeekdays ? times.filter(isWeekday) : times
}

/** The first day of 1970 was a Thursday. */
const isWeekday = (time: number): boolean => (((Math.floor(time / day) + 3) % 7) + 7) % 7 < 5

/** An execution that gets its number when all that began before it are there. */
interface Unnumbered {
  readonly startedAt: number
  readonly numbered: (id: number) => ExecutionRecord
}

/**
 * The executions of a workflow as an engine would have recorded them. Their steps are made when somebody
 * reads them: most are only counted, and every start would wait for all.
 */
export const executionsOf = (
  { connections, id, name, nodes, runs }: SeedWorkflow,
  snapshotAt: (time: number) => Snapshot,
  now: number
): ReadonlyArray<Unnumbered> => {
  if (runs === undefined) return []
  const mode = "calls" in runs.starts ? "webhook" : "trigger"
  const usualPath = runs.path ?? connectedNodes(nodes, connections)
  return startsOf(runs.starts, name, now).flatMap((startedAt, number) => {
    const turn: Turn = { number, hoursAgo: (now - startedAt) / hour }
    const ending = runs.ending?.(turn)
    if (ending !== undefined && "skipped" in ending) return []
    const slower = ending !== undefined && "slower" in ending ? ending.slower : 1
    const path = (ending !== undefined && "path" in ending ? ending.path : undefined) ?? usualPath
    const length = runs.seconds * 1000 * slower * (0.8 + 0.4 * chance(name, number, "length"))
    const last = ending === undefined ? undefined : lastNode(ending)
    const status = statusOf(ending)
    const walk = {
      path: last === undefined ? path : path.slice(0, path.indexOf(last) + (status === "running" ? 0 : 1)),
      share: Math.round(length / Math.max(path.length - 1, 1)),
      constants: constantsOf(nodes),
      filters: new Set(nodes.filter(({ type }) => String(type).endsWith(".filter")).map(({ name }) => name)),
      connections,
      runs,
      turn,
      ending,
      startedAt
    }
    const numbered = (number: number): ExecutionRecord => ({
      id: number,
      workflowId: id,
      mode,
      status,
      retryOf: null,
      retrySuccessId: null,
      startedAt,
      stoppedAt: status === "running" ? null : startedAt + firstStep + walk.share * (walk.path.length - 1),
      snapshot: snapshotAt(startedAt),
      get steps() {
        return stepsOf(walk)
      },
      ...(ending !== undefined && "waitsAt" in ending ? { waitTill: startedAt + ending.hours * hour } : {})
    })
    return [{ startedAt, numbered }]
  })
}

/** Milliseconds that a trigger takes. */
const firstStep = 1

/** The node at which a run ended early, or still is. */
const lastNode = (ending: Ending): string | undefined => {
  if ("failsAt" in ending) return ending.failsAt
  if ("waitsAt" in ending) return ending.waitsAt
  return "runsAt" in ending ? ending.runsAt : undefined
}

const statusOf = (ending: Ending | undefined): ExecutionRecord["status"] => {
  if (ending === undefined) return "success"
  if ("failsAt" in ending) return "error"
  if ("waitsAt" in ending) return "waiting"
  return "runsAt" in ending ? "running" : "success"
}

/** The nodes that items go through, but for those that only lend something to an agent. */
const connectedNodes = (nodes: ReadonlyArray<JsonObject>, connections: JsonObject): ReadonlyArray<string> =>
  nodes
    .map(({ name }) => String(name))
    .filter(
      (name, index) => index === 0 || objectOf(connections[name]).main !== undefined || isTarget(connections, name)
    )

const isTarget = (connections: JsonObject, name: string): boolean =>
  Object.values(connections).some((outputs) => outputTo(outputs, name) >= 0)

/** The main output that leads to a node; -1 if none does. */
const outputTo = (outputs: unknown, name: string): number =>
  listOf(objectOf(outputs).main).findIndex((targets) =>
    listOf(targets).some((target) => isJsonObject(target) && target.node === name)
  )

interface Walk {
  readonly path: ReadonlyArray<string>
  /** Milliseconds that each node after the first takes. */
  readonly share: number
  readonly constants: ReadonlyMap<unknown, JsonObject>
  /** Names of the nodes that have an output for what they discard. */
  readonly filters: ReadonlySet<unknown>
  readonly connections: JsonObject
  readonly runs: Runs
  readonly turn: Turn
  readonly ending: Ending | undefined
  readonly startedAt: number
}

const stepsOf = (walk: Walk): ReadonlyArray<Step> => {
  const { connections, constants, ending, filters, path, runs, share, startedAt, turn } = walk
  let items: ReadonlyArray<Item> = [{ json: {}, pairedItem: { item: 0 } }]
  return path.map((node, index) => {
    const before = path.slice(0, index).findLast((earlier) => outputTo(connections[earlier], node) >= 0)
    const startTime = startedAt + (index === 0 ? 0 : firstStep + share * (index - 1))
    const executionTime = index === 0 ? firstStep : share
    const source = before === undefined ? null : { node: before, output: outputTo(connections[before], node), run: 0 }
    const step = { node, index, startTime, executionTime, source }
    if (ending !== undefined && "failsAt" in ending && ending.failsAt === node) {
      return { ...step, outputs: [], failure: failureOf(ending, startTime + executionTime, items) }
    }
    const given = withFields(items, constants.get(node))
    items = itemsOf(runs, node, turn, given)
    const output = outputTo(connections[node], path[index + 1] ?? "")
    const empty = Array.from({ length: Math.max(output, 0) }, () => [])
    const discarded = filters.has(node) && items.length === 0 ? [given] : []
    return { ...step, outputs: [...empty, items, ...discarded], failure: null }
  })
}

const itemsOf = ({ items }: Runs, node: string, { number }: Turn, before: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  const results = items?.[node]?.(number)
  if (results === undefined) return before
  const isOneForOne = results.length === before.length
  return results.map((json, item) => ({ json, pairedItem: { item: isOneForOne ? item : 0 } }))
}

/** The fixed fields that nodes add to items, by name. Seeds say themselves what expressions give. */
const constantsOf = (nodes: ReadonlyArray<JsonObject>): ReadonlyMap<unknown, JsonObject> =>
  new Map(
    nodes.map(({ name, parameters }) => [
      name,
      Object.fromEntries(
        listOf(objectOf(objectOf(parameters).assignments).assignments)
          .map(objectOf)
          .flatMap((one) => (String(one.value).startsWith("=") ? [] : [[one.name, one.value]]))
      )
    ])
  )

const withFields = (items: ReadonlyArray<Item>, fields: JsonObject = {}): ReadonlyArray<Item> =>
  items.map((item, index) => ({ ...item, json: { ...item.json, ...fields }, pairedItem: { item: index } }))

const failureOf = (
  { httpCode, item, kind, message }: Extract<Ending, { readonly failsAt: string }>,
  timestamp: number,
  input: ReadonlyArray<Item>
): Step["failure"] => ({
  problem: {
    message,
    timestamp,
    ...(httpCode === undefined ? {} : { httpCode }),
    ...(kind === undefined ? {} : { thrown: { description: kind, line: 1, ...(item === undefined ? {} : { item }) } })
  },
  input
})
