import { Struct } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { isJsonObject } from "../../internal/schema/JsonObject.ts"
import { saysTheSame } from "../client/version.ts"
import { nameOf } from "../client/Workflow.ts"

/** Larger differences, in characters of JSON, are given by name only. */
const longest = 200_000

/**
 * The version that runs, beside the draft that an engine shows as the workflow: nothing where it has the same nodes and
 * connections, else with a `difference` in their place, which holds what the version has that the draft has not: nodes by
 * name, connections by the node they begin at, `null` for what is only in the draft.
 */
export const activeVersionBeside = (draft: JsonObject): JsonObject => {
  const { activeVersion, connections, nodes } = draft
  if (!isJsonObject(activeVersion)) return {}
  const difference = {
    ...part("nodes", differences(byName(activeVersion.nodes), byName(nodes))),
    ...part("connections", differences(asObject(activeVersion.connections), asObject(connections)))
  }
  if (Object.keys(difference).length === 0) return {}
  const rest = Struct.omit(activeVersion, ["nodes", "connections"])
  return {
    activeVersion:
      JSON.stringify(difference).length <= longest
        ? { ...rest, difference }
        : { ...rest, differsIn: namesOf(difference), note: "The differences are left out, because they are long." }
  }
}

const differences = (active: JsonObject, draft: JsonObject): JsonObject =>
  Object.fromEntries(
    [...new Set([...Object.keys(active), ...Object.keys(draft)])]
      .filter((name) => !saysTheSame(active[name], draft[name]))
      .map((name) => [name, active[name] ?? null])
  )

const part = (name: string, found: JsonObject): Readonly<Record<string, JsonObject>> =>
  Object.keys(found).length === 0 ? {} : { [name]: found }

const namesOf = (difference: Readonly<Record<string, JsonObject>>) =>
  Object.fromEntries(Object.entries(difference).map(([name, found]) => [name, Object.keys(found)]))

const byName = (nodes: unknown): JsonObject =>
  Object.fromEntries((Array.isArray(nodes) ? nodes : []).filter(isJsonObject).map((node) => [nameOf(node), node]))

const asObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})
