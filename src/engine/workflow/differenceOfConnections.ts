import { Predicate } from "effect"

import { grouped } from "../../internal/collections.ts"
import { nameAmongWords } from "../../internal/foreignText.ts"
import { isSameJson } from "../../internal/json/digest.ts"
import { type JsonObject, fieldIn, isJsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { type NodePairs, nameOf, nodesOf, renamesIn } from "./nodes.ts"
import { outputName } from "./outputs.ts"
import { type Edge, edgesOf } from "./wires.ts"

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
  /** The changes in a text of several lines, as a patch. */
  readonly hunk?: string
}

/** Arrows that came, went, or were led elsewhere; those that went with their node are no changes of their own. */
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
  const changes = outputDifferences(old, edgesOf(after.connections))
  const sources = new Set(changes.map(({ source }) => source))
  const inForm =
    renames.size > 0 ? [] : formDifferences(before.connections, after.connections).filter((name) => !sources.has(name))
  return [
    ...changes.flatMap((one) => outputChanges(one, nodes, gone)),
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
    const [was, is] = [fieldIn(old, node), fieldIn(now, node)]
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

/** The changes to the targets of one output. */
interface OutputDifference {
  readonly source: string
  readonly type: string
  readonly output: number
  readonly added: ReadonlyArray<Edge>
  readonly removed: ReadonlyArray<Edge>
  /** The targets in their order, where only that differs. */
  readonly order?: readonly [before: ReadonlyArray<Edge>, after: ReadonlyArray<Edge>]
}

const outputKey = ({ output, source, type }: Edge) => JSON.stringify([source, type, output])
const targetKey = ({ input, target, targetType }: Edge) => JSON.stringify([target, targetType, input])

/** The outputs whose targets differ. */
const outputDifferences = (
  before: ReadonlyArray<Edge>,
  after: ReadonlyArray<Edge>
): ReadonlyArray<OutputDifference> => {
  const [old, now] = [grouped(before, outputKey), grouped(after, outputKey)]
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const [was, is] = [old.get(key) ?? [], now.get(key) ?? []]
    const [first] = [...was, ...is]
    if (first === undefined) return []
    const added = beyond(is, was)
    const removed = beyond(was, is)
    const { output, source, type } = first
    if (added.length > 0 || removed.length > 0) return [{ source, type, output, added, removed }]
    const isReordered = was.some((edge, place) => is[place] === undefined || targetKey(edge) !== targetKey(is[place]))
    return isReordered ? [{ source, type, output, added, removed, order: [was, is] as const }] : []
  })
}

/** The arrows that one list has more than another. */
const beyond = (edges: ReadonlyArray<Edge>, others: ReadonlyArray<Edge>): ReadonlyArray<Edge> => {
  const left = new Map<string, number>()
  for (const edge of others) left.set(targetKey(edge), (left.get(targetKey(edge)) ?? 0) + 1)
  return edges.filter((edge) => {
    const count = left.get(targetKey(edge)) ?? 0
    left.set(targetKey(edge), count - 1)
    return count <= 0
  })
}

/** The nodes from which equal arrows are written down in another way: with fields that nobody knows, or broken. */
const formDifferences = (before: unknown, after: unknown): ReadonlyArray<string> => {
  const [old, now] = [objectOf(before), objectOf(after)]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (source) => !isSameJson(rest(fieldIn(old, source)), rest(fieldIn(now, source)))
  )
}

/** The content of a node's connections beside its arrows, which is none for all spellings of "nothing there". */
const rest = (types: unknown): unknown => {
  if (!isJsonObject(types)) return types ?? null
  const left = Object.entries(types).flatMap(([type, outputs]) => {
    if (!Array.isArray(outputs)) return [[type, outputs]]
    const odd = outputs.flatMap((targets: unknown) =>
      Array.isArray(targets) ? targets.flatMap(oddPart) : oddOutput(targets)
    )
    return odd.length === 0 ? [] : [[type, odd]]
  })
  return left.length === 0 ? null : left
}

const oddOutput = (targets: unknown) => (targets === null || targets === undefined ? [] : [targets])

const oddPart = (target: unknown): ReadonlyArray<unknown> => {
  if (!isJsonObject(target) || !Predicate.isString(target.node)) return [target]
  const { node, type, index, ...more } = target
  const isPlain = (type === undefined || Predicate.isString(type)) && (index === undefined || Predicate.isNumber(index))
  const odd = isPlain ? more : { ...more, type, index }
  return Object.keys(odd).length === 0 ? [] : [{ node, ...odd }]
}
