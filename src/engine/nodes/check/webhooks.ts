import { Effect } from "effect"

import { isJsonObject, type JsonObject, objectsOf } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { firstPages } from "../../client/listAll.ts"
import { collisions } from "../../workflow/addresses.ts"
import { textOf } from "../json.ts"
import { takenBy } from "./addresses.ts"
import type { Finding } from "./Finding.ts"

/** Pages of active workflows that are looked through. */
const maxPages = 8

/** Webhooks whose addresses active workflows of the instance have as well. */
export const checkWebhooks = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  id: string | undefined,
  nodes: ReadonlyArray<JsonObject>
) {
  const own = { id: id ?? "", nodes }
  if (collisions(own, own).length === 0) return []
  const takenIn = (other: JsonObject): ReadonlyArray<Finding> => {
    if (textOf(other.id) === id) return []
    const running = isJsonObject(other.activeVersion) ? other.activeVersion.nodes : other.nodes
    return collisions(own, { id: textOf(other.id), nodes: objectsOf(running) }).map((one) =>
      takenBy(one.node, one.address, `node ${one.otherNode} of workflow ${textOf(other.name)} (${textOf(other.id)})`)
    )
  }
  const { found } = yield* firstPages(
    (query) => engine.listWorkflows({ ...query, active: true }),
    { limit: 100, pages: maxPages },
    (page) => page.flatMap(takenIn)
  )
  return found
})
