import { Effect, Predicate } from "effect"

import { fields } from "../../../internal/json/Selection.ts"
import { type JsonObject, objectsOf } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { type Extent, firstPages } from "../../client/listAll.ts"
import { collisions } from "../../workflow/addresses.ts"

/** Pages of active workflows that are looked through. */
const maxPages = 8

/** Enough for who wants to know of some, and not of all. */
export const hasSome = (taken: number) => taken > 0

/** Whose the addresses of a workflow are, among the other active ones: all of them, or those of the pages that were enough. */
export const activeOwners = Effect.fnUntraced(function* (
  engine: Pick<EngineClient["Service"], "listWorkflows">,
  { id, nodes }: { readonly id: string; readonly nodes: ReadonlyArray<JsonObject> },
  { isEnough }: Pick<Extent, "isEnough"> = {}
) {
  let seen = 0
  const { found, isWhole } = yield* firstPages(
    (query) => engine.listWorkflows({ active: true, ...query, excludePinnedData: true }, lookedAt),
    { limit: 100, pages: maxPages, ...(isEnough && { isEnough }) },
    (page) => {
      seen += page.length
      return page
        .filter((other) => Predicate.isString(other.id) && other.id !== id)
        .flatMap((other) =>
          collisions({ id, nodes }, { id: String(other.id), nodes: runningNodes(other) }).map(
            ({ address, node, otherNode }) => ({
              address,
              node,
              owner: `node ${otherNode} of workflow ${String(other.name)} (${String(other.id)})`
            })
          )
        )
    }
  )
  return { owners: found, isWhole, seen }
})

/** What of a workflow is looked at. */
const lookedAt = fields({ pinData: "nothing", staticData: "nothing", shared: "nothing", settings: "nothing" })

/** The nodes that listen: those of the published version, where the engine shows one. */
export const runningNodes = ({ activeVersion, nodes }: JsonObject): ReadonlyArray<JsonObject> => {
  const running = Predicate.hasProperty(activeVersion, "nodes") ? activeVersion.nodes : nodes
  return objectsOf(running)
}
