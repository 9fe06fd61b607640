import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { Execution } from "../../workflow/models.ts"
import { leavesOf, type Path } from "../../workflow/valuePaths.ts"
import { jsonOf, nodeNamed, type RunData } from "../explain/runData.ts"
import { printPattern } from "./PathPattern.ts"

/** The marks by which values made in a run are recognised. */
interface Moment {
  /** Start of the run, in milliseconds. */
  readonly from: number
  readonly until: number
  /** The ids of its execution and workflow, and the workflow's name. */
  readonly identifiers: ReadonlyArray<string>
}

interface Leaf {
  readonly path: Path
  readonly value: unknown
}

/** A node as it was when it ran, with its items. */
interface NodeItems {
  readonly name: string
  readonly node: JsonObject
  readonly items: ReadonlyArray<JsonObject>
}

/**
 * Paths of fields that will differ in the next run, by node: times, ids and random numbers made in this run, wherever they
 * were passed on, except values that were given to the run.
 */
export const volatilePaths = (
  nodes: ReadonlyArray<NodeItems>,
  given: unknown,
  moment: Moment
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const givenTexts = new Set(leavesIn(given, []).map(({ value }) => String(value)))
  const givenStamps = new Set([...givenTexts].flatMap((text) => text.match(stamps) ?? []))
  /** A text that holds what was given, such as the id of an order in an address, is no other in the next run for that. */
  const ownPart = (value: unknown) =>
    typeof value === "string"
      ? value.replace(stamps, (one) => (one.length > "2026-01-01".length && givenStamps.has(one) ? "" : one))
      : value
  const changing = new Set<string>()
  /** Fields with an id of the run that something given happens to equal, as low ids of a new engine do. */
  const alike = new Set<string>()
  return new Map(
    nodes.map(({ items, name, node }) => {
      const says = leavesOf(node.parameters)
        .map(({ text }) => text)
        .join("\n")
      const volatileLeaves = items
        .flatMap((item) => leavesIn(item, []))
        .filter(({ path, value }) => {
          const text = String(value)
          const field = `${path.at(-1)} ${text}`
          if (givenTexts.has(text) && (alike.has(field) || isOwn(text, says, moment))) {
            alike.add(field)
            return true
          }
          if (givenTexts.has(text) || !(changing.has(text) || isOfMoment(ownPart(value), says, moment))) return false
          changing.add(text)
          return true
        })
      return [name, [...new Set(volatileLeaves.map(({ path }) => printPattern(path)))]]
    })
  )
}

/** The same of nodes of a recorded run. */
export const volatileIn = (
  execution: Execution,
  data: RunData,
  names: ReadonlyArray<string>,
  given: unknown
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const nodes = names.map((name) => ({
    name,
    node: nodeNamed(data, name) ?? {},
    items: data.runs.flatMap(({ node, outputs }) => (node === name ? outputs.flat().map(jsonOf) : []))
  }))
  return volatilePaths(nodes, given, {
    from: Date.parse(String(execution.startedAt)),
    until: Date.parse(String(execution.stoppedAt)),
    identifiers: [execution.id, execution.workflowId, objectOf(execution.workflowData).name].map(String)
  })
}

const leavesIn = (value: unknown, path: Path): ReadonlyArray<Leaf> => {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => leavesIn(item, [...path, "*"]))
  if (isJsonObject(value)) return Object.entries(value).flatMap(([name, item]) => leavesIn(item, [...path, name]))
  return typeof value === "string" || typeof value === "number" ? [{ path, value }] : []
}

const uuid = /[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/i
const dated = /\b\d{4}-\d\d-\d\d(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/

/** Marks of a moment, or of chance, in a text. */
const stamps = new RegExp(`${uuid.source}|${dated.source}`, "gi")
const times = /^\d+$|\d\d?:\d\d(?::\d\d(?:\.\d+)?)?|\d{10,}/g

/** The rest of a text in which times and random values may be others. */
export const withoutStamps = (text: string): string => text.replace(stamps, "").replace(times, "")
const day = 24 * 60 * 60 * 1000

const isOwn = (text: string, says: string, { identifiers }: Moment): boolean =>
  /\$(?:execution|workflow)\b/.test(says) && identifiers.includes(text)

const isOfMoment = (value: unknown, says: string, moment: Moment): boolean => {
  const { from, until } = moment
  const isWithin = (time: number) => time >= from - slack && time <= until + slack
  if (typeof value === "number") {
    if (Number.isInteger(value)) return isWithin(value) || isWithin(value * 1000)
    return /\brandom\b/i.test(says) && String(value).length > 10
  }
  const text = String(value)
  if (uuid.test(text)) return true
  if (isOwn(text, says, moment)) return true
  const [date, time] = dated.exec(text) ?? []
  if (date === undefined) return false
  const at = Date.parse(date)
  if (time !== undefined) return isWithin(at)
  return /\$now|\$today|\bnew Date\b|\bDate\.now\b|\bDateTime\b/.test(says) && Math.abs(at - from) <= day
}

/** Clocks of databases and programs differ a little. */
const slack = 2000
