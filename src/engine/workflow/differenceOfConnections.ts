import { Predicate } from "effect"

import { grouped } from "../../internal/grouped.ts"
import { isJsonObject, listOf, objectOf } from "../../internal/schema/JsonObject.ts"
import { own } from "./differenceOfValues.ts"
import { isSameJson } from "./versions.ts"

/** One arrow between two nodes, as an engine keeps it; either may not be there. */
export interface Edge {
  readonly source: string
  readonly type: string
  readonly output: number
  readonly target: string
  readonly targetType: string
  readonly input: number
}

/** Every arrow that can be read from connections, whatever else stands between them. */
export const edgesOf = (connections: unknown): ReadonlyArray<Edge> =>
  Object.entries(objectOf(connections)).flatMap(([source, types]) =>
    Object.entries(objectOf(types)).flatMap(([type, outputs]) =>
      listOf(outputs).flatMap((targets, output) =>
        listOf(targets).flatMap((target): ReadonlyArray<Edge> => {
          if (!isJsonObject(target) || !Predicate.isString(target.node)) return []
          const targetType = Predicate.isString(target.type) ? target.type : type
          return [{ source, type, output, target: target.node, targetType, input: indexOf(target.index) }]
        })
      )
    )
  )

const indexOf = (index: unknown) => (Predicate.isNumber(index) ? index : 0)

/** What became of the targets of one output. */
export interface OutputDifference {
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
export const outputDifferences = (
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

/** What one list of arrows has more than another. */
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
export const formDifferences = (before: unknown, after: unknown): ReadonlyArray<string> => {
  const [old, now] = [objectOf(before), objectOf(after)]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (source) => !isSameJson(rest(own(old, source)), rest(own(now, source)))
  )
}

/** What is written of a node's connections beside its arrows; the spellings of "nothing there" are none. */
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
