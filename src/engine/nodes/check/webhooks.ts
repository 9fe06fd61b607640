import { Effect } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { collisions } from "../../workflow/addresses.ts"
import { activeOwners } from "./activeOwners.ts"
import { takenBy } from "./addresses.ts"
import type { Finding } from "./Finding.ts"

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
