import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { nodeType } from "../../client/naming.ts"
import type { Mock } from "./mocks.ts"

/** A node of ours at the place of another one. */
export const placed = (
  name: string,
  kind: string,
  typeVersion: number,
  parameters: JsonObject,
  { position }: JsonObject
) => ({
  name,
  type: nodeType(kind),
  typeVersion,
  position: Array.isArray(position) && position.length === 2 ? position : [0, 0],
  parameters
})

/** The webhook that a temporary copy is called by. */
export const webhook = (name: string, path: string, responseMode: string, at: JsonObject) => ({
  ...placed(name, "webhook", 2, { path, httpMethod: "POST", responseMode, options: {} }, at),
  webhookId: path
})

/** A node that makes items of the entries of a list. */
export const split = (name: string, field: string, { alwaysOutputData, position }: JsonObject) => ({
  ...placed(name, "splitOut", 1, { fieldToSplitOut: field, options: {} }, { position }),
  ...(alwaysOutputData === true ? { alwaysOutputData } : {})
})

/** By how many outputs the items of a mock leave. */
export const outputsOf = ({ runs }: Mock): number => Math.max(1, ...runs.map((outputs) => outputs.length))

/**
 * What a mock gives out, run by run: its items, one by one or together for each item that comes in, and which output each
 * leaves by. What comes after the last run is the last entry.
 */
export const handedOver = (given: Mock): ReadonlyArray<JsonObject> => {
  const isForked = outputsOf(given) > 1
  return [...given.runs, ...(given.repeats ? [] : [[]])].map((outputs, run) => {
    const from = given.from?.[run]
    const all = outputs
      .flatMap((items, output) => items.map((item) => ({ item, output })))
      .map((one, place) => ({ ...one, from: from?.[place] ?? 0 }))
      .toSorted((a, b) => a.from - b.from)
    const groups = Array.from({ length: (all.at(-1)?.from ?? -1) + 1 }, (_, index) =>
      all.filter((one) => one.from === index).map(({ item }) => item)
    )
    return {
      items: all.map(({ item }) => item),
      ...(from === undefined ? {} : { groups }),
      ...(isForked ? { outputs: all.map(({ output }) => output) } : {})
    }
  })
}

/** Where what a mock gives out in this run stands in what was handed over. */
const ofThisRun = (hook: string, index: number, given: Mock): string => {
  const last = given.runs.length - (given.repeats ? 1 : 0)
  const run = last === 0 ? "0" : `$runIndex < ${last} ? $runIndex : ${last}`
  return `$(${JSON.stringify(hook)}).first().json.body.mocks[${index}][${run}]`
}

/**
 * Hands the items of a mocked node to the node that splits them up: to each item that comes in those that it is known to
 * come from, or one where there are as many, so that later nodes find the item that each came from; else all to the first.
 */
export const mock = (name: string, hook: string, index: number, given: Mock, at: JsonObject) => {
  const run = ofThisRun(hook, index, given)
  const all = `${run}.items`
  const items = `${all}.length === $input.all().length ? [${all}[$itemIndex]] : $itemIndex === 0 ? ${all} : []`
  const known = given.from === undefined ? items : `${run}.groups ? (${run}.groups[$itemIndex] ?? []) : ${items}`
  return placed(name, "set", 3.4, { mode: "raw", jsonOutput: `={{ { "items": ${known} } }}`, options: {} }, at)
}

/** Lets each item of a mocked node leave by the output that it is for. */
export const fork = (name: string, hook: string, index: number, given: Mock, at: JsonObject) => {
  const output = `={{ ${ofThisRun(hook, index, given)}.outputs[$itemIndex] }}`
  return placed(name, "switch", 3, { mode: "expression", numberOutputs: outputsOf(given), output }, at)
}
