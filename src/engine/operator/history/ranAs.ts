import { Struct } from "effect"

import { isJsonObject, type JsonObject } from "../../../internal/schema/JsonObject.ts"
import { differencesSliced } from "../../workflow/difference.ts"

/**
 * Whether a version is what ran, but for parameters that only one of them has, as engines fill in defaults: engines before 2.41
 * name the version of the draft (2.40.7), whatever is published and ran.
 */
export function* ranAs(version: JsonObject, ran: unknown) {
  if (!isJsonObject(ran)) return true
  const { connections, nodes } = ran
  const changes = yield* differencesSliced(Struct.pick(version, ["nodes", "connections"]), { nodes, connections })
  return changes.every(
    ({ after, before, field, kind }) =>
      kind === "node" && field?.startsWith("parameters") === true && (after === undefined || before === undefined)
  )
}
