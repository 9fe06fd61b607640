import { Effect } from "effect"

import { each, fields, only, type Selection } from "../../../internal/json/Selection.ts"
import { isJsonObject, type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { executionNotFound } from "../../client/isMissing.ts"
import type { Execution, ExecutionId } from "../../workflow/models.ts"
import { failureOf } from "./failure.ts"
import { type FieldReference, fieldReferencesOf, firstLacking, type Side } from "./inputFields.ts"
import { type Origin, originOf } from "./origin.ts"
import { inputOf, type NodeRun, type RunData, runDataOf, textIn } from "./runData.ts"

/**
 * Reads an execution to explain its failure; `index` is the input item that failed, where the caller knows it. A large one is read again for only those items that matter, and of these only
 * for the fields that the failed node refers to, so that little is kept in memory.
 */
export const readFailed = Effect.fnUntraced(function* (
  id: ExecutionId,
  index?: number
): Effect.fn.Return<Execution, EngineError, EngineClient> {
  const engine = yield* EngineClient
  const first = yield* engine.getExecution(id, true, outline).pipe(
    // Too large to be read: explain what is known without the data.
    Effect.catchIf(
      (error) => error._tag === "NetworkError" && error.problem.includes("larger than"),
      () => engine.getExecution(id, false)
    ),
    Effect.mapError(executionNotFound(id))
  )
  const data = runDataOf(first)
  const failure = data && failureOf(data)
  if (!isOutline(first) || failure?.at === undefined || data === undefined) return first

  const side = { data, input: failure.input }
  const references = fieldReferencesOf(side, failure.at.node)
  const wanted = wantedOf(failure.at, references)
  const item = index ?? failure.item
  const hasPairs = countItems(data) <= mostPairs
  const read = (whole: number | undefined, origin?: Origin) =>
    engine.getExecution(id, true, closeUp(wanted, { whole, origin, hasPairs }))
  const closer = yield* read(item)
  const near = sideOf(closer, failure.at)
  const lacking = item === undefined && near !== undefined ? firstLacking(near, references) : undefined
  const place = item ?? lacking ?? (side.input.length === 1 ? 0 : undefined)
  const origin = place === undefined ? undefined : originIn(closer, failure.at, place)
  const isThere = (lacking ?? 0) === 0 && (origin === undefined || isJsonObject(objectOf(origin.item).json))
  return isThere ? closer : yield* read(place, origin)
})

/** Items of a run up to which it is read which of them come from which. */
const mostPairs = 20_000

const countItems = ({ runs }: RunData): number =>
  runs.reduce((sum, { outputs }) => sum + outputs.reduce((all, items) => all + items.length, 0), 0)

const originIn = (execution: Execution, { node, run }: NodeRun, index: number): Origin | undefined => {
  const data = runDataOf(execution)
  const at = data?.runs.find((one) => one.node === node && one.run === run)
  return data === undefined || at === undefined ? undefined : originOf(data, at, index)
}

/** The last success with the data to compare; undefined if it cannot be read. */
export const readSuccess = (
  lastSuccess: Execution | undefined,
  node: string | undefined,
  references: ReadonlyArray<FieldReference>
): Effect.Effect<Execution | undefined, never, EngineClient> =>
  lastSuccess === undefined
    ? Effect.succeed(undefined)
    : Effect.gen(function* () {
        const engine = yield* EngineClient
        const first = yield* engine.getExecution(lastSuccess.id, true, outline)
        const run = runDataOf(first)?.runs.findLast((run) => run.node === node)
        if (!isOutline(first) || run === undefined) return first
        return yield* engine.getExecution(lastSuccess.id, true, closeUp(wantedOf(run, references), {}))
      }).pipe(Effect.orElseSucceed(() => undefined))

/** The fields to read, by node: of the nodes that fed the run, and of those that its node refers to. */
const wantedOf = (
  { node, whole }: NodeRun,
  references: ReadonlyArray<FieldReference>
): ReadonlyMap<string, ReadonlySet<string>> => {
  const sources = listOf(whole.source).flatMap((source) => textIn(objectOf(source).previousNode) ?? [])
  // A part of an agent holds its input itself.
  const inputFields = [...new Set([...sources, node])].map((name): readonly [string, ReadonlySet<string>] => [
    name,
    new Set(references.filter((reference) => reference.node === undefined || reference.node === name).flatMap(headOf))
  ])
  const others = references.flatMap((reference): ReadonlyArray<readonly [string, ReadonlySet<string>]> =>
    reference.node === undefined || sources.includes(reference.node)
      ? []
      : [[reference.node, new Set(references.filter(({ node }) => node === reference.node).flatMap(headOf))]]
  )
  return new Map([...others, ...inputFields])
}

const headOf = ({ path }: FieldReference) => path.slice(0, 1)

const sideOf = (execution: Execution, at: NodeRun): Side | undefined => {
  const data: RunData | undefined = runDataOf(execution)
  const run = data?.runs.find(({ node, run }) => node === at.node && run === at.run)
  return data === undefined || run === undefined ? undefined : { data, input: inputOf(data, run) }
}

/** The selection for an item of a node, by its index. */
type Items = (place: string | number) => Selection

/** Selects the wanted items of an execution, and everything else except for copies of items. */
const withItems = (itemsOf: (node: string) => Items): Selection => {
  const runData: Selection = (node) => {
    const outputs = each(each(itemsOf(String(node))))
    return each(fields({ data: outputs, inputOverride: outputs }))
  }
  return fields({
    data: fields({ resultData: fields({ runData, pinData: "nothing" }), executionData: "nothing" }),
    workflowData: fields({ pinData: "nothing", staticData: "nothing" })
  })
}

/** Items of an output that are kept of a large execution. */
export const mostItems = 3

const first: Items = (place) => (Number(place) < mostItems ? "whole" : "nothing")

/** The course of a large execution: of each output only the first items and the number of items. */
const outline: Selection = withItems(() => first)

/** Only the errors of an execution. */
export const errorsOnly: Selection = only({
  id: "whole",
  status: "whole",
  workflowData: "nothing",
  data: only({
    resultData: only({
      error: "whole",
      lastNodeExecuted: "whole",
      runData: each(
        each(only({ error: "whole", inputOverride: "nothing", startTime: "whole", executionIndex: "whole" }))
      )
    })
  })
})

/** The items of a run that are read whole, beside the first ones. */
interface CloseUp {
  /** The index of an item of the nodes that feed the failed one. */
  readonly whole?: number | undefined
  readonly origin?: Origin | undefined
  /** Whether it is read of all items from which they come. */
  readonly hasPairs?: boolean
}

/** Selects, of the items of these nodes, the fields of these names, and some items as a whole; of all other nodes the first items. */
const closeUp = (
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
  { hasPairs = false, origin, whole }: CloseUp
): Selection =>
  withItems((node) => {
    const pairs: Readonly<Record<string, Selection>> = hasPairs ? { pairedItem: "whole" } : {}
    const names = wanted.get(node)
    const json: Selection = (name) => (names?.has(String(name)) === true ? "whole" : "nothing")
    const others: Selection = names === undefined ? (hasPairs ? only(pairs) : "nothing") : only({ json, ...pairs })
    return (place) => {
      const isWhole = names === undefined ? Number(place) < mostItems : Number(place) === 0 || Number(place) === whole
      return isWhole || (origin?.node === node && Number(place) === origin.index) ? "whole" : others
    }
  })

/** Whether an execution was so large that only a selection of it was kept. */
export const isOutline = ({ data }: JsonObject): boolean => isJsonObject(data) && data.executionData === null
