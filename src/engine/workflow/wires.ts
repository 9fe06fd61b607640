import { Predicate } from "effect"

import { fieldIn, isJsonObject, listOf, objectOf } from "../../internal/schema/JsonObject.ts"
import type { Connections, Target } from "./models.ts"

/** One connection of two nodes. */
export interface Wire {
  readonly source: string
  /** `main`, or what an AI node takes: `ai_tool`, `ai_languageModel`. */
  readonly type: string
  readonly output: number
  readonly target: string
  readonly input: number
}

/** Some of the wires of a workflow: those that are so in every field that is given. */
export type WirePattern = { readonly [Field in keyof Wire]?: Wire[Field] | undefined }

/** Every wire of a workflow, output by output. */
export const wiresOf = (connections: Connections): ReadonlyArray<Wire> =>
  Object.entries(connections).flatMap(([source, types]) =>
    Object.entries(types).flatMap(([type, outputs]) =>
      outputs.flatMap((targets, output) =>
        (targets ?? []).map(({ index, node }) => ({ source, type, output, target: node, input: index }))
      )
    )
  )

const fits = (wire: Wire, { input, output, source, target, type }: WirePattern): boolean =>
  (source === undefined || wire.source === source) &&
  (target === undefined || wire.target === target) &&
  (type === undefined || wire.type === type) &&
  (output === undefined || wire.output === output) &&
  (input === undefined || wire.input === input)

/** The wires that are so. */
export const wiresLike = (connections: Connections, pattern: WirePattern): ReadonlyArray<Wire> =>
  wiresOf(connections).filter((wire) => fits(wire, pattern))

/** The connections with one more wire, the last one at its output; the same connections where it is there already. */
export const withWire = (connections: Connections, { input, output, source, target, type }: Wire): Connections => {
  if (wiresLike(connections, { input, output, source, target, type }).length > 0) return connections
  const types = fieldIn(connections, source) ?? {}
  const outputs = [...(fieldIn(types, type) ?? [])]
  while (outputs.length <= output) outputs.push([])
  outputs[output] = [...(outputs[output] ?? []), { node: target, type, index: input }]
  return { ...connections, [source]: { ...types, [type]: outputs } }
}

/** The connections without the wires that are so; outputs without wires are left out where none with some follows. */
export const withoutWires = (connections: Connections, pattern: WirePattern): Connections =>
  wiresLike(connections, pattern).length === 0
    ? connections
    : Object.fromEntries(
        Object.entries(connections).flatMap(([source, types]) => {
          const kept = Object.entries(types).flatMap(([type, outputs]) => {
            const left = withoutTargets(outputs, { source, type }, pattern)
            return left.length === 0 && outputs.length > 0 ? [] : [[type, left] as const]
          })
          return kept.length === 0 && Object.keys(types).length > 0 ? [] : [[source, Object.fromEntries(kept)]]
        })
      )

type Outputs = ReadonlyArray<ReadonlyArray<Target> | null>

const withoutTargets = (outputs: Outputs, { source, type }: Pick<Wire, "source" | "type">, pattern: WirePattern) => {
  const left = outputs.map((targets, output) => {
    const kept = (targets ?? []).filter(
      ({ index, node }) => !fits({ source, type, output, target: node, input: index }, pattern)
    )
    return kept.length === (targets ?? []).length ? targets : kept
  })
  if (left.every((targets, output) => targets === outputs[output])) return outputs
  return left.slice(0, left.findLastIndex((targets) => (targets ?? []).length > 0) + 1)
}

/**
 * The wires that lead past a node once it is gone: from all that led into its first input to all that its output `output`
 * led to.
 */
export const bridges = (connections: Connections, node: string, output: number): ReadonlyArray<Wire> => {
  const away = wiresLike(connections, { source: node, type: "main", output }).filter(({ target }) => target !== node)
  return wiresLike(connections, { target: node, type: "main", input: 0 })
    .filter(({ source }) => source !== node)
    .flatMap((before) => away.map(({ input, target }) => ({ ...before, target, input })))
}
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
