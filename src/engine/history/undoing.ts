import { isJsonObject, type JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { isConnections } from "../workflow/connections.ts"
import { nameOf, nodesOf } from "../workflow/nodes.ts"
import { isSameJson } from "../workflow/versions.ts"
import { wiresOf } from "../workflow/wires.ts"

/** A workflow before and after one change of it; parts that neither holds were not changed. */
export interface ChangeOfWorkflow {
  readonly before: JsonObject
  readonly after: JsonObject
}

/** A workflow without one of its changes, and the places that were changed again since. */
interface Undone {
  readonly record: JsonObject
  readonly conflicts: ReadonlyArray<string>
}

const parts = [
  "name",
  "description",
  "active",
  "isArchived",
  "connections",
  "settings",
  "pinData",
  "nodeGroups"
] as const

/** Takes one change back and keeps what came later, field by field; nodes and tags are told apart by their ids and names. */
export const undone = (current: JsonObject, { after, before }: ChangeOfWorkflow): Undone => {
  const conflicts: Array<string> = []
  const merged = (path: ReadonlyArray<string>, [was, is, now]: Sides): unknown => {
    if (isSame(was, is) || isSame(was, now)) return now
    if (isSame(is, now)) return was
    if (isJsonObject(was) && isJsonObject(is) && isJsonObject(now)) {
      const fields = new Set([now, was, is].flatMap((side) => Object.keys(side)))
      const values = [...fields].map((field) => [field, merged([...path, field], [was[field], is[field], now[field]])])
      return Object.fromEntries(values.filter(([, value]) => value !== undefined))
    }
    conflicts.push(path.map((key) => key.split("\n")[0]).join("."))
    return now
  }
  const part = (field: string, as: (value: unknown) => unknown, back: (value: unknown) => unknown) =>
    field in before && field in after
      ? { [field]: back(merged([field], [as(before[field]), as(after[field]), as(current[field])])) }
      : {}
  const tags = new Map(
    [before, after, current].flatMap((side) => objectsOf(side.tags).map((tag) => [tagKey(tag), tag]))
  )
  const keyOf = nodeKeyOf([before, after, current].map(nodesOf))
  const record = {
    ...current,
    ...Object.assign({}, ...parts.map((field) => part(field, same, same))),
    ...part("nodes", keyed(keyOf), values),
    ...part("tags", tagIdsOf, (kept) => Object.keys(objectOf(kept)).flatMap((key) => tags.get(key) ?? []))
  }
  return { record, conflicts: [...conflicts, ...danglingIn(record)] }
}

/** A value before the change, after it, and now. */
type Sides = readonly [was: unknown, is: unknown, now: unknown]

const same = (value: unknown) => value

const isSame = (a: unknown, b: unknown) => isSameJson(a ?? null, b ?? null)

const keyed = (keyOf: (item: JsonObject) => string) => (items: unknown) =>
  Object.fromEntries(objectsOf(items).map((item) => [keyOf(item), item]))

const values = (byKey: unknown) => (isJsonObject(byKey) ? Object.values(byKey) : [])

/* Keys are no numbers, which would come before all others. */

const tagKey = ({ id }: JsonObject) => `tag ${String(id)}`

/** Tags may have been renamed meanwhile. */
const tagIdsOf = (tags: unknown) => Object.fromEntries(objectsOf(tags).map((tag) => [tagKey(tag), true]))

/** Nodes keep their ids when they are renamed; where ids are missing or were given anew, names tell nodes apart. */
const nodeKeyOf = (sides: ReadonlyArray<ReadonlyArray<JsonObject>>) => {
  const nodes = sides.flat()
  const idByName = new Map(nodes.map((node) => [nameOf(node), node.id]))
  const nameById = new Map(nodes.map((node) => [node.id, nameOf(node)]))
  const areKept =
    nodes.every((node) => node.id !== undefined && idByName.get(nameOf(node)) === node.id) &&
    sides.every((some) => new Set(some.map(({ id }) => id)).size === some.length)
  return (node: JsonObject) => (areKept ? `${nameById.get(node.id) ?? ""}\n${String(node.id)}` : `${nameOf(node)}\n`)
}

/** Connections of nodes that are gone. */
const danglingIn = (record: JsonObject): ReadonlyArray<string> => {
  const names = new Set(nodesOf(record).map(nameOf))
  const ends = isConnections(record.connections)
    ? wiresOf(record.connections).flatMap(({ source, target }) => [source, target])
    : []
  return [...new Set(ends.filter((name) => !names.has(name)))].map((name) => `connections of ${name}`)
}
