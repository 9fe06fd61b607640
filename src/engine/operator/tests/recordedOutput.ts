import { Predicate } from "effect"

import { objectOf } from "../../../internal/schema/JsonObject.ts"
import { inputOf, jsonOf, type NodeRun, type RunData } from "../explain/runData.ts"
import type { Run } from "../run/mocks.ts"
import { type NodeOutput, toNodeOutput } from "./NodeOutput.ts"

/** The output of one run of a node. */
export const itemsOf = ({ outputs }: NodeRun): Run => outputs.map((items) => items.map(jsonOf))

/** A node's output, with the input items it came from where later nodes could not tell these themselves. */
export const recordedOutputOf = (data: RunData, name: string): NodeOutput => {
  const runs = data.runs.filter(({ node }) => node === name)
  return toNodeOutput(
    runs.map(itemsOf),
    runs.map((run) => pairing(data, run))
  )
}

/** Undefined where the engine finds the same pairing by itself: one item out for each one in, in order, or only one in. */
const pairing = (data: RunData, run: NodeRun): ReadonlyArray<number> | undefined => {
  const count = inputOf(data, run).length
  const items = run.outputs.flat()
  const from = items.map(sourceOf)
  if (count < 2 || !from.every(Predicate.isNumber)) return undefined
  const isUsual = items.length === count && from.every((source, place) => source === place)
  const isInOrder = run.outputs.every((list) => {
    const own = list.map((item) => sourceOf(item) ?? 0)
    return own.every((source, place) => place === 0 || source >= (own[place - 1] ?? 0))
  })
  return isUsual || !isInOrder ? undefined : from
}

/** The index of the input item that an output item came from, if that was one of the first input. */
const sourceOf = (item: unknown): number | undefined => {
  const { pairedItem } = objectOf(item)
  const [only, ...others] = Array.isArray(pairedItem) ? pairedItem : [pairedItem]
  const { input = 0, item: index } = Predicate.isNumber(only) ? { item: only } : objectOf(only)
  return others.length === 0 && input === 0 && Predicate.isNumber(index) && index >= 0 ? index : undefined
}
