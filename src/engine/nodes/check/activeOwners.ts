import { Effect, Predicate } from "effect"

import { fields } from "../../../internal/json/Selection.ts"
import { type JsonObject, objectsOf } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { type Extent, firstPages } from "../../client/listAll.ts"
import { addressTexts, collisions, collisionsAmong } from "../../workflow/addresses.ts"
import type { Finding } from "./Finding.ts"
import { takenBy } from "./structure.ts"

/** Most pages of active workflows to read. */
const maxPages = 8

/** Enough for callers that need some of them, not all. */
export const hasSome = (taken: number) => taken > 0

/** The owners of a workflow's addresses among other active workflows: all of them, or those on enough pages. */
export const activeOwners = Effect.fnUntraced(function* (
  engine: Pick<EngineClient["Service"], "listWorkflows">,
  { id, nodes }: { readonly id: string; readonly nodes: ReadonlyArray<JsonObject> },
  { isEnough }: Pick<Extent, "isEnough"> = {}
) {
  const addresses = addressTexts({ id, nodes })
  let seen = 0
  const { matches: owners, isWhole } = yield* firstPages(
    (query) => engine.listWorkflows({ active: true, ...query, excludePinnedData: true }, nodesOnly),
    { limit: 100, pages: maxPages, ...(isEnough && { isEnough }) },
    (page) => {
      seen += page.length
      return page
        .filter((other) => Predicate.isString(other.id) && other.id !== id)
        .flatMap((other) =>
          collisionsAmong(addresses, { id: String(other.id), nodes: runningNodes(other) }).map(
            ({ address, node, otherNode }) => ({
              address,
              node,
              owner: `node ${otherNode} of workflow ${String(other.name)} (${String(other.id)})`
            })
          )
        )
    }
  )
  return { owners, isWhole, seen }
})

/** The parts of a workflow that are read. */
const nodesOnly = fields({ pinData: "nothing", staticData: "nothing", shared: "nothing", settings: "nothing" })

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
  const workflow = { id: id ?? "", nodes }
  if (collisions(workflow, workflow).length === 0) return []
  const { owners } = yield* activeOwners(engine, workflow)
  return owners.map(({ address, node, owner }): Finding => takenBy(node, address, owner))
})
