import { Result } from "effect"

import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { isTrigger } from "../../workflow/triggers.ts"

/** The JSON of items in either form: bare, or wrapped as `{ json }`. */
export const itemsIn = (given: unknown): ReadonlyArray<JsonObject> | undefined => {
  const list: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  const items = list.map((item) => (isJsonObject(item) ? jsonOf(item) : undefined))
  return items.every(isJsonObject) ? items : undefined
}

const jsonOf = (item: JsonObject): JsonObject => (isWrapped(item) ? item.json : item)

/** Whether an item has the engine's form, with its JSON as one field among others. */
const isWrapped = (item: JsonObject): item is JsonObject & { readonly json: JsonObject } =>
  isJsonObject(item.json) && Object.keys(item).every((name) => wrapping.has(name))

const wrapping = new Set(["json", "pairedItem", "binary", "error", "index"])

/** Whether an item in the engine's form has binary data. */
export const holdsFiles = (item: unknown): boolean =>
  isJsonObject(item) && isWrapped(item) && isJsonObject(item.binary) && Object.keys(item.binary).length > 0

/** The problem with binary data: runs get JSON only. */
export const noFiles =
  "holds files (binary), which cannot be handed over to a run: give what they hold as JSON, or mock the nodes that read them"

/** Whether a node's pinned items have binary data. */
export const pinsFiles = (workflow: JsonObject, node: string): boolean => {
  const pinned = pinnedTo(workflow, node)
  return Array.isArray(pinned) && pinned.some(holdsFiles)
}

/** The items pinned to a node, if there are any. */
export const pinnedItems = (workflow: JsonObject, node: string): ReadonlyArray<JsonObject> | undefined => {
  const pinned = pinnedTo(workflow, node)
  return pinned === undefined || pinned === null ? undefined : itemsIn(pinned)
}

const pinnedTo = ({ pinData }: JsonObject, node: string): unknown =>
  isJsonObject(pinData) && Object.hasOwn(pinData, node) ? pinData[node] : undefined

/** The items of one run of a node, output by output. */
export type Run = ReadonlyArray<ReadonlyArray<JsonObject>>

/** The output of a mocked node, run by run. */
export interface Mock {
  readonly runs: ReadonlyArray<Run>
  /** For each run, the index of the input item that each output item comes from, output after output, where that is known. */
  readonly from?: ReadonlyArray<ReadonlyArray<number> | undefined>
  /** Whether further runs give out the same as the last one, instead of nothing. */
  readonly repeats: boolean
  /** The error with which it fails whenever it runs, in place of items. */
  readonly error?: string
}

/** A mock that gives out the same items whenever it runs. */
export const always = (items: ReadonlyArray<JsonObject>): Mock => ({ runs: [[items]], repeats: true })

/** A mock that fails whenever it runs. */
const failing = (error: string): Mock => ({ runs: [], repeats: true, error })

/** The mocks, by the names of their nodes. */
export type Mocks = ReadonlyMap<string, Mock>

/** Reads mocks as callers give them: items, "pinned" for the pinned ones, or an error. */
export const mocksOf = (workflow: Workflow, given: JsonObject): Result.Result<Mocks, string> =>
  Result.gen(function* () {
    const mocks = new Map<string, Mock>()
    for (const [name, value] of Object.entries(given)) {
      yield* mockable(workflow, name)
      if (isFailure(value)) {
        mocks.set(name, failing(value.error))
        continue
      }
      if ((Array.isArray(value) ? value : [value]).some(holdsFiles)) return yield* Result.fail(`${name} ${noFiles}`)
      const items = value === "pinned" ? pinnedItems(workflow, name) : itemsIn(value)
      if (items !== undefined) mocks.set(name, always(items))
      else {
        return yield* Result.fail(
          value === "pinned"
            ? `node ${name} has no pinned items that could be read. Give them`
            : `${name} must be a list of items, each an object, or "pinned", or {"error": "its message"}`
        )
      }
    }
    return mocks
  })

const isFailure = (value: unknown): value is { readonly error: string } =>
  isJsonObject(value) && typeof value.error === "string" && Object.keys(value).length === 1

/** Refuses names that cannot be mocked: those of missing nodes and of triggers. */
export const mockable = (workflow: Workflow, name: string): Result.Result<void, string> => {
  const node = workflow.nodes.find((one) => nameOf(one) === name)
  if (node === undefined) {
    return Result.fail(`there is no node ${name}. Its nodes: ${workflow.nodes.map(nameOf).join(", ")}`)
  }
  return isTrigger(node) ? Result.fail(`${name} is a trigger: give its items as items`) : Result.succeed(undefined)
}
