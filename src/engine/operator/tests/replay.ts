import { Predicate } from "effect"

import { objectOf } from "../../../internal/schema/JsonObject.ts"
import { inputOf, jsonOf, type NodeRun, type RunData } from "../explain/runData.ts"
import type { Run } from "../run/mocks.ts"
import { type Given, givenOf } from "./given.ts"

/** What one run of a node gave out. */
export const itemsOf = ({ outputs }: NodeRun): Run => outputs.map((items) => items.map(jsonOf))

/** What a node gave out, and from which items, where later nodes could not find that out themselves. */
export const replayOf = (data: RunData, name: string): Given => {
  const runs = data.runs.filter(({ node }) => node === name)
  return givenOf(
    runs.map(itemsOf),
    runs.map((run) => pairing(data, run))
  )
}

/** Nothing where there is one for each that came in, in their order, or only one came in. */
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

/** Which item that came in an item came from, of those of the first input. */
const sourceOf = (item: unknown): number | undefined => {
  const { pairedItem } = objectOf(item)
  const [only, ...others] = Array.isArray(pairedItem) ? pairedItem : [pairedItem]
  const { input = 0, item: index } = Predicate.isNumber(only) ? { item: only } : objectOf(only)
  return others.length === 0 && input === 0 && Predicate.isNumber(index) && index >= 0 ? index : undefined
}
