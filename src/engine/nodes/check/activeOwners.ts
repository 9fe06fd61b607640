import { Effect, Predicate } from "effect"

import { fields } from "../../../internal/json/Selection.ts"
import { type JsonObject, objectsOf } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { type Extent, firstPages } from "../../client/listAll.ts"
import { collisions } from "../../workflow/addresses.ts"
import type { Finding } from "./Finding.ts"
import { takenBy } from "./structure.ts"

/** Most pages of active workflows to read. */
const maxPages = 8

/** Enough for callers that need some of them, not all. */
export const hasSome = (taken: number) => taken > 0

/** Which of the addresses of a workflow other active workflows have: all of them, or those on enough pages. */
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

/** Webhooks with an address that active workflows of the instance also have. */
export const checkWebhooks = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  id: string | undefined,
  nodes: ReadonlyArray<JsonObject>
) {
  const own = { id: id ?? "", nodes }
  if (collisions(own, own).length === 0) return []
  const { owners } = yield* activeOwners(engine, own)
  return owners.map(({ address, node, owner }): Finding => takenBy(node, address, owner))
})
