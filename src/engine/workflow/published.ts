import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { nameOf } from "./nameOf.ts"
import { nodesOf } from "./nodePairs.ts"

/**
 * The workflow that runs, from a draft with the differences of its active version, as `get_workflow` shows it; nothing
 * where the draft is what runs, or where the differences were too long to be shown.
 */
export const publishedOf = (draft: JsonObject): JsonObject | undefined => {
  const { activeVersion, connections } = draft
  const difference = isJsonObject(activeVersion) ? activeVersion.difference : undefined
  if (!isJsonObject(difference)) return undefined
  const before = Object.fromEntries(nodesOf(draft).map((node) => [nameOf(node), node]))
  return {
    ...draft,
    nodes: Object.values(patched(before, difference.nodes)),
    connections: patched(objectOf(connections), difference.connections)
  }
}

/** `null` stands for what the other one does not have. */
const patched = (fields: JsonObject, patch: unknown): JsonObject =>
  isJsonObject(patch)
    ? Object.fromEntries(Object.entries({ ...fields, ...patch }).filter(([, value]) => value !== null))
    : fields
