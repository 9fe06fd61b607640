import { nameAmongWords } from "../../internal/foreignText.ts"
import { type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import {
  type Edge,
  edgesOf,
  formDifferences,
  type OutputDifference,
  outputDifferences
} from "./differenceOfConnections.ts"
import { own } from "./differenceOfValues.ts"
import { nameOf } from "./models.ts"
import { type NodePairs, renamesIn, nodesOf } from "./nodePairs.ts"
import { outputName } from "./outputs.ts"
import { isSameJson } from "./versions.ts"

/** One thing that differs: a line for people, and its parts for machines, both cut and without secrets. */
export interface Change {
  readonly kind:
    | "workflow"
    | "node added"
    | "node removed"
    | "renamed"
    | "node"
    | "connection"
    | "pinned data"
    | "group"
    | "setting"
    | "tag"
    | "moved"
  readonly text: string
  /** The node, under its new name. */
  readonly node?: string
  readonly field?: string
  readonly before?: unknown
  readonly after?: unknown
  /** What changed in a text of several lines, as a patch. */
  readonly hunk?: string
}

/** Arrows that came, went, or were led elsewhere; those that went with their node are not told apart. */
export const connectionChanges = (before: JsonObject, after: JsonObject, pairs: NodePairs): ReadonlyArray<Change> => {
  if (before.connections === undefined || after.connections === undefined) return []
  const renames = renamesIn(pairs)
  const newName = (name: string) => renames.get(name) ?? name
  const old = edgesOf(before.connections).map(({ source, target, ...edge }) => ({
    ...edge,
    source: newName(source),
    target: newName(target)
  }))
  const gone = new Set(pairs.removed.map(nameOf))
  const nodes = new Map([...nodesOf(before), ...nodesOf(after)].map((node) => [nameOf(node), node]))
  const found = outputDifferences(old, edgesOf(after.connections))
  const sources = new Set(found.map(({ source }) => source))
  const inForm =
    renames.size > 0 ? [] : formDifferences(before.connections, after.connections).filter((name) => !sources.has(name))
  return [
    ...found.flatMap((one) => outputChanges(one, nodes, gone)),
    ...inForm.map((node): Change => ({
      kind: "connection",
      node,
      text: `${nameAmongWords(node)}: its connections are written in another way`
    }))
  ]
}

const outputChanges = (
  { added, order, output, removed, source, type }: OutputDifference,
  nodes: ReadonlyMap<string, JsonObject>,
  gone: ReadonlySet<string>
): ReadonlyArray<Change> => {
  const named = type === "main" ? outputName(nodes.get(source), output) : type + (output === 0 ? "" : ` ${output}`)
  const through = named === "" ? "" : ` (${named})`
  const change = (text: string, was: ReadonlyArray<Edge>, is: ReadonlyArray<Edge>): Change => ({
    kind: "connection",
    node: source,
    field: `${type}[${output}]`,
    ...(was.length === 0 ? {} : { before: targets(was) }),
    ...(is.length === 0 ? {} : { after: targets(is) }),
    text: `${nameAmongWords(source)}: ${text}`
  })
  if (order !== undefined) {
    const [was, is] = order
    return [change(`leads${through} to ${targets(is)} in another order (was ${targets(was)})`, was, is)]
  }
  const lost = removed.filter(({ target }) => !gone.has(source) && !gone.has(target))
  if (added.length === 1 && lost.length === 1) {
    return [change(`leads${through} to ${targets(added)} instead of ${targets(lost)}`, lost, added)]
  }
  return [
    ...added.map((edge) => change(`now leads${through} to ${targets([edge])}`, [], [edge])),
    ...lost.map((edge) => change(`no longer leads${through} to ${targets([edge])}`, [edge], []))
  ]
}

const targets = (edges: ReadonlyArray<Edge>): string =>
  edges
    .map(({ input, target, targetType, type }) => {
      const end = [...(targetType === type ? [] : [targetType]), ...(input === 0 ? [] : [`input ${input + 1}`])]
      const name = nameAmongWords(target)
      return end.length === 0 ? name : `${name} (${end.join(" ")})`
    })
    .join(", ")

/** Pinned data that came, went or changed, counted in items. */
export const pinChanges = (
  before: JsonObject,
  after: JsonObject,
  renames: ReadonlyMap<string, string>
): ReadonlyArray<Change> => {
  if (before.pinData === undefined || after.pinData === undefined) return []
  const old = Object.fromEntries(
    Object.entries(objectOf(before.pinData)).map(([name, items]) => [renames.get(name) ?? name, items])
  )
  const now = objectOf(after.pinData)
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((node): ReadonlyArray<Change> => {
    const [was, is] = [own(old, node), own(now, node)]
    if (isSameJson(was, is)) return []
    const [from, to] = [count(was), count(is)]
    const text =
      was === undefined
        ? `pinned data added (${to})`
        : is === undefined
          ? `pinned data removed (${from})`
          : `pinned data changed (${from} → ${to})`
    return [
      { kind: "pinned data", node, field: "pinData", before: from, after: to, text: `${nameAmongWords(node)}: ${text}` }
    ]
  })
}

const count = (items: unknown): string => {
  const size = Array.isArray(items) ? items.length : items === undefined || items === null ? 0 : 1
  return size === 1 ? "1 item" : `${size} items`
}
