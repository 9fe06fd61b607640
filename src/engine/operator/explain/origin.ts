import { Predicate } from "effect"

import { isJsonObject, type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { kindOf } from "../../workflow/triggers.ts"
import { nodeNamed, type NodeRun, type RunData, textIn } from "./runData.ts"

/** The item with which a run began, and from which another one came. */
export interface Origin {
  readonly node: string
  readonly index: number
  readonly of: number
  readonly item: unknown
  /** Whether the node that got the other item is fed by this one itself. */
  readonly isDirect: boolean
}

/** An item among those that a node has given out. */
interface Place {
  readonly source: JsonObject
  readonly index: number
}

/** Nodes through which an item is followed: loops go round often. */
const mostSteps = 2000

/**
 * Follows an input item of a node run back to where the run began, by the pairs of items that the engine keeps; undefined
 * where they break off.
 */
export const originOf = (data: RunData, at: NodeRun, index: number): Origin | undefined => {
  let place = placeIn(sourcesOf(at)[0], index)
  for (let step = 0; place !== undefined && step < mostSteps; step++) {
    const { source } = place
    const run = data.runs.find((one) => one.node === source.previousNode && one.run === (source.previousNodeRun ?? 0))
    const items = run?.outputs[outputOf(source)]
    if (run === undefined || items === undefined || place.index >= items.length) return undefined
    if (sourcesOf(run).length === 0) {
      return { node: run.node, index: place.index, of: items.length, item: items[place.index], isDirect: step === 0 }
    }
    place = before(data, run, items, place)
  }
  return undefined
}

const placeIn = (source: JsonObject | undefined, index: number): Place | undefined =>
  source === undefined ? undefined : { source, index }

const outputOf = ({ previousNodeOutput }: JsonObject) => Number(previousNodeOutput ?? 0)

const sourcesOf = ({ whole }: NodeRun): ReadonlyArray<JsonObject> =>
  listOf(whole.source)
    .map(objectOf)
    .filter(({ previousNode }) => textIn(previousNode) !== undefined)

/** The input item of a run from which one of its output items came. */
const before = (data: RunData, run: NodeRun, items: ReadonlyArray<unknown>, { index, source }: Place) => {
  const sources = sourcesOf(run)
  if (kindOf(nodeNamed(data, run.node) ?? {}) === "splitInBatches" && run.run > 0) {
    const batches = data.runs.filter((one) => one.node === run.node && one.run < run.run)
    const earlier = batches.reduce((sum, { outputs }) => sum + (outputs[outputOf(source)]?.length ?? 0), 0)
    const [first] = batches
    return first === undefined ? undefined : placeIn(sourcesOf(first)[0], earlier + index)
  }
  const pairs: unknown = objectOf(items[index]).pairedItem
  const pair: unknown = Array.isArray(pairs) ? pairs[0] : pairs
  if (Predicate.isNumber(pair)) return placeIn(sources[0], pair)
  if (isJsonObject(pair) && Predicate.isNumber(pair.item)) {
    const other: unknown = Array.isArray(pair.sourceOverwrite) ? pair.sourceOverwrite[0] : pair.sourceOverwrite
    return placeIn(isJsonObject(other) ? other : sources[Number(pair.input ?? 0)], pair.item)
  }
  const [only] = sources
  const given = data.runs.find(
    ({ node, run: one }) => node === only?.previousNode && one === (only.previousNodeRun ?? 0)
  )
  const count = only === undefined ? 0 : (given?.outputs[outputOf(only)]?.length ?? 0)
  return count === 1 ? placeIn(only, 0) : count === items.length ? placeIn(only, index) : undefined
}
