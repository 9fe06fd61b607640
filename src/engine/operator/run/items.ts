import { Result } from "effect"

import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { nameOf, type Workflow } from "../../client/models.ts"
import { isTrigger } from "../../workflow/triggers.ts"

/** The JSON of items, as callers and engines write them: bare, or as `{ json }`. */
export const itemsIn = (given: unknown): ReadonlyArray<JsonObject> | undefined => {
  const list: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  const items = list.map((item) => (isJsonObject(item) ? jsonOf(item) : undefined))
  return items.every(isJsonObject) ? items : undefined
}

const jsonOf = (item: JsonObject): JsonObject =>
  isJsonObject(item.json) && Object.keys(item).every((name) => wrapping.has(name)) ? item.json : item

const wrapping = new Set(["json", "pairedItem", "binary", "error", "index"])

/** The items that a workflow keeps for a node; nothing where it keeps none. */
export const pinnedItems = ({ pinData }: JsonObject, node: string): ReadonlyArray<JsonObject> | undefined => {
  const pinned = isJsonObject(pinData) && Object.hasOwn(pinData, node) ? pinData[node] : undefined
  return pinned === undefined || pinned === null ? undefined : itemsIn(pinned)
}

/** What each mocked node is to give out, by its name. */
export type Mocks = ReadonlyMap<string, ReadonlyArray<JsonObject>>

/** The mocks as a caller gives them: items, or the word for those that are pinned. */
export const mocksOf = (workflow: Workflow, given: JsonObject): Result.Result<Mocks, string> =>
  Result.gen(function* () {
    const mocks = new Map<string, ReadonlyArray<JsonObject>>()
    for (const [name, value] of Object.entries(given)) {
      const node = workflow.nodes.find((one) => nameOf(one) === name)
      if (node === undefined) {
        return yield* Result.fail(`there is no node ${name}. Its nodes: ${workflow.nodes.map(nameOf).join(", ")}`)
      }
      if (isTrigger(node)) return yield* Result.fail(`${name} is a trigger: give its items as items`)
      const items = value === "pinned" ? pinnedItems(workflow, name) : itemsIn(value)
      if (items !== undefined) mocks.set(name, items)
      else {
        return yield* Result.fail(
          value === "pinned"
            ? `node ${name} has no pinned items that could be read. Give them`
            : `${name} must be a list of items, each an object, or "pinned"`
        )
      }
    }
    return mocks
  })
