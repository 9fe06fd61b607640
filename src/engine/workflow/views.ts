import { Struct } from "effect"

import { isJsonObject, type JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { nameOf } from "../client/models.ts"
import { partVersion, isSameJson } from "../client/versions.ts"

/**
 * A workflow with only the nodes of these names, and what was left out, counted. The connections stay whole: they show
 * where the nodes belong, and an engine is not given a part for the whole, as they lead to nodes that are not there. Nodes
 * without connections are guarded by the version, which says that it is of a part.
 */
export const partOfWorkflow = (
  workflow: JsonObject & { readonly version: string; readonly nodes: ReadonlyArray<JsonObject> },
  names: ReadonlyArray<string>
): JsonObject => {
  const wanted = new Set(names)
  const nodes = nodesNamed(workflow.nodes, wanted)
  const pins = isJsonObject(workflow.pinData) ? partOfRecord(workflow.pinData, wanted) : undefined
  const leftOut = {
    nodes: workflow.nodes.length - nodes.length,
    ...(pins === undefined || pins.leftOut === 0 ? {} : { pinData: pins.leftOut }),
    ...(isJsonObject(workflow.activeVersion) ? { fields: ["activeVersion"] } : {})
  }
  const notice =
    `Only ${nodes.length} of ${workflow.nodes.length} nodes are shown. Never give these to update_workflow as \`nodes\`: ` +
    "it would remove all others."
  return {
    ...(leftOut.nodes === 0 ? {} : { notice }),
    leftOut,
    ...(isJsonObject(workflow.activeVersion) ? Struct.omit(workflow, ["activeVersion"]) : workflow),
    nodes,
    version: leftOut.nodes === 0 ? workflow.version : partVersion(workflow.version),
    ...(pins === undefined ? {} : { pinData: pins.kept })
  }
}

/** The names of nodes, each once. */
export const namesOf = (nodes: unknown): ReadonlyArray<string> =>
  Array.isArray(nodes) ? [...new Set(nodes.filter(isJsonObject).map(nameOf))] : []

/** Only the nodes of these names. */
export const nodesNamed = (nodes: ReadonlyArray<JsonObject>, wanted: ReadonlySet<string>): ReadonlyArray<JsonObject> =>
  nodes.filter((node) => wanted.has(nameOf(node)))

/** What a record by names of nodes holds for some of them, and for how many others. */
export const partOfRecord = (record: JsonObject, wanted: ReadonlySet<string>) => {
  const entries = Object.entries(record)
  const kept = entries.filter(([name]) => wanted.has(name))
  return { kept: Object.fromEntries(kept), leftOut: entries.length - kept.length }
}

/** Larger differences, in characters of JSON, are given by name only. */
const maxDifference = 200_000

/**
 * The version that runs, beside the draft that an engine shows as the workflow: nothing where it has the same nodes and
 * connections, else with a `difference` in their place, which holds what the version has that the draft has not: nodes by
 * name, connections by the node they begin at, `null` for what is only in the draft.
 */
export const activeVersionDifference = (draft: JsonObject): JsonObject => {
  const { activeVersion, connections, nodes } = draft
  if (!isJsonObject(activeVersion)) return {}
  const difference = {
    ...part("nodes", differences(byName(activeVersion.nodes), byName(nodes))),
    ...part("connections", differences(objectOf(activeVersion.connections), objectOf(connections)))
  }
  if (Object.keys(difference).length === 0) return {}
  const rest = Struct.omit(activeVersion, ["nodes", "connections"])
  return {
    activeVersion:
      JSON.stringify(difference).length <= maxDifference
        ? { ...rest, difference }
        : { ...rest, differsIn: namesIn(difference), note: "The differences are left out, because they are long." }
  }
}

const differences = (active: JsonObject, draft: JsonObject): JsonObject =>
  Object.fromEntries(
    [...new Set([...Object.keys(active), ...Object.keys(draft)])]
      .filter((name) => !isSameJson(active[name], draft[name]))
      .map((name) => [name, active[name] ?? null])
  )

const part = (name: string, found: JsonObject): Readonly<Record<string, JsonObject>> =>
  Object.keys(found).length === 0 ? {} : { [name]: found }

const namesIn = (difference: Readonly<Record<string, JsonObject>>) =>
  Object.fromEntries(Object.entries(difference).map(([name, found]) => [name, Object.keys(found)]))

const byName = (nodes: unknown): JsonObject => Object.fromEntries(objectsOf(nodes).map((node) => [nameOf(node), node]))
