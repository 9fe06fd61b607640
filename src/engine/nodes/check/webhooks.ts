import { Effect, Predicate } from "effect"

import { objectsOf } from "../../../internal/json/lenient.ts"
import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
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
  const found: Array<Finding> = []
  let cursor: string | undefined
  for (let pages = 0; pages < maxPages; pages++) {
    const page = yield* engine.listWorkflows(
      cursor === undefined ? { active: true, limit: 100 } : { active: true, cursor }
    )
    for (const other of page.data) {
      if (textOf(other.id) === id) continue
      const running = isJsonObject(other.activeVersion) ? other.activeVersion.nodes : other.nodes
      for (const one of collisions(own, { id: textOf(other.id), nodes: objectsOf(running) })) {
        const owner = `node ${one.otherNode} of workflow ${textOf(other.name)} (${textOf(other.id)})`
        found.push(takenBy(one.node, one.address, owner))
      }
    }
    if (!Predicate.isString(page.nextCursor) || page.nextCursor === "" || page.nextCursor === cursor) break
    cursor = page.nextCursor
  }
  return found
})
