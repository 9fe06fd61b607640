import { Struct } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { nodeType } from "../../workflow/naming.ts"
import type { Mock } from "./mocks.ts"

/** A node at the position of another one. */
export const nodeAt = (
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

/** The webhook that starts a temporary copy. */
export const webhookNode = (name: string, path: string, responseMode: string, at: JsonObject) => ({
  ...nodeAt(name, "webhook", 2, { path, httpMethod: "POST", responseMode, options: {} }, at),
  webhookId: path
})

/** A filter that passes only the call with the secret of this digest, which cannot be read from the copy. */
export const guardNode = (name: string, digest: string, at: JsonObject) => {
  const condition = {
    id: "secret",
    leftValue: '={{ ($json.body.secret ?? "").hash("sha256") }}',
    rightValue: digest,
    operator: { type: "string", operation: "equals" }
  }
  const options = { caseSensitive: true, leftValue: "", typeValidation: "strict" }
  return nodeAt(name, "filter", 2, { conditions: { options, conditions: [condition], combinator: "and" } }, at)
}

/** A node that turns the entries of a list into items. */
export const splitNode = (name: string, field: string, { alwaysOutputData, position }: JsonObject) => ({
  ...nodeAt(name, "splitOut", 1, { fieldToSplitOut: field, options: {} }, { position }),
  ...(alwaysOutputData === true ? { alwaysOutputData } : {})
})

/** The number of outputs of a mock. */
export const outputsOf = ({ runs }: Mock): number => Math.max(1, ...runs.map((outputs) => outputs.length))

/**
 * A mock in the form that `mockFeeder` reads from the webhook's body, run by run: its items, also grouped by the input item
 * that they come from, and the output of each. The last entry is for all further runs.
 */
export const mockPayload = (given: Mock): ReadonlyArray<JsonObject> => {
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

/** The expression for a mock's entry of the current run in the webhook's body. */
const ofThisRun = (hook: string, index: number, given: Mock): string => {
  const last = given.runs.length - (given.repeats ? 1 : 0)
  const run = last === 0 ? "0" : `$runIndex < ${last} ? $runIndex : ${last}`
  return `$(${JSON.stringify(hook)}).first().json.body.mocks[${index}][${run}]`
}

/**
 * Gives a mock's items to the node that splits them up, so that later nodes find the input item of each: for each input item
 * those known to come from it, or one if there are as many inputs as items, or all for the first input item.
 */
export const mockFeeder = (name: string, hook: string, index: number, given: Mock, at: JsonObject) => {
  const run = ofThisRun(hook, index, given)
  const all = `${run}.items`
  const items = `${all}.length === $input.all().length ? [${all}[$itemIndex]] : $itemIndex === 0 ? ${all} : []`
  const itemsOrGroup = given.from === undefined ? items : `${run}.groups ? (${run}.groups[$itemIndex] ?? []) : ${items}`
  return nodeAt(name, "set", 3.4, { mode: "raw", jsonOutput: `={{ { "items": ${itemsOrGroup} } }}`, options: {} }, at)
}

/** A node that fails for each item as a mocked node would, with its ways to try again and to go on. */
export const failingNode = (name: string, error: string, node: JsonObject) => ({
  ...Struct.pick(node, failureFields),
  ...nodeAt(name, "code", 2, { mode: "runOnceForEachItem", jsCode: `throw new Error(${JSON.stringify(error)})` }, node)
})

const failureFields = [
  "alwaysOutputData",
  "continueOnFail",
  "executeOnce",
  "maxTries",
  "onError",
  "retryOnFail",
  "waitBetweenTries"
]

/** Evaluates these expressions for each item that a mocked node gets; an item for which one fails holds its error. */
export const previewNode = (name: string, expressions: ReadonlyArray<string>, at: JsonObject) => ({
  ...nodeAt(
    name,
    "set",
    3.4,
    {
      mode: "manual",
      assignments: {
        assignments: expressions.map((value, index) => ({
          id: `v${index}`,
          name: `v${index}`,
          type: "string",
          value
        }))
      },
      includeOtherFields: false,
      options: { ignoreConversionErrors: true }
    },
    at
  ),
  onError: "continueRegularOutput"
})

/** Sends each item of a mocked node to its output. */
export const forkNode = (name: string, hook: string, index: number, given: Mock, at: JsonObject) => {
  const output = `={{ ${ofThisRun(hook, index, given)}.outputs[$itemIndex] }}`
  return nodeAt(name, "switch", 3, { mode: "expression", numberOutputs: outputsOf(given), output }, at)
}
