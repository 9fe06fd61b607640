import { Struct } from "effect"

import { isSameJson } from "../../internal/json/digest.ts"
import { jsonBytes } from "../../internal/json/values.ts"
import { isJsonObject, type JsonObject, listOf, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { nameOf, nodesOf } from "./nodes.ts"
import { partVersion } from "./versions.ts"

/**
 * A workflow with only the nodes of these names and what belongs to them, and what was left out, counted. An engine is not
 * given such a part for the whole: some of its connections lead to nodes that are not there, and its version says that it
 * is of a part.
 */
export const partOfWorkflow = (
  workflow: JsonObject & { readonly version: string; readonly nodes: ReadonlyArray<JsonObject> },
  names: ReadonlyArray<string>
) => {
  const wanted = new Set(names)
  const nodes = nodesNamed(workflow.nodes, wanted)
  const pins = isJsonObject(workflow.pinData) ? partOfRecord(workflow.pinData, wanted) : undefined
  const isWhole = nodes.length === workflow.nodes.length
  const connections = connectionsAt(objectOf(workflow.connections), wanted)
  const beside = isWhole ? ["activeVersion"] : ["activeVersion", "staticData", "nodeGroups"]
  const fields = beside.filter((field) => Object.keys(Object(workflow[field])).length > 0)
  const leftOut = {
    nodes: workflow.nodes.length - nodes.length,
    ...(connections.leftOut === 0 ? {} : { connections: connections.leftOut }),
    ...(pins === undefined || pins.leftOut === 0 ? {} : { pinData: pins.leftOut }),
    ...(fields.length === 0 ? {} : { fields })
  }
  const notice =
    `Only ${nodes.length} of ${workflow.nodes.length} nodes are shown. Never give these to update_workflow as \`nodes\`: ` +
    `it would remove all others.${connections.leftOut === 0 ? "" : " The same holds for `connections`."}`
  return {
    ...(leftOut.nodes === 0 ? {} : { notice }),
    leftOut,
    ...Struct.omit(workflow, fields),
    nodes,
    connections: connections.kept,
    version: leftOut.nodes === 0 ? workflow.version : partVersion(workflow.version),
    ...(pins === undefined ? {} : { pinData: pins.kept })
  }
}

/** Bytes of connections that are shown whole: they show where nodes belong. */
const roomForConnections = 3000

/** Whether only some connections of a workflow are shown with some of its nodes. */
export const areCut = (connections: JsonObject): boolean => jsonBytes(connections) > roomForConnections

/**
 * The connections that begin or end at some nodes, and how many nodes others begin at. Where none of them leads elsewhere,
 * one more is kept that does.
 */
const connectionsAt = (connections: JsonObject, wanted: ReadonlySet<string>) => {
  const entries = Object.entries(connections)
  if (!areCut(connections)) return { kept: connections, leftOut: 0 }
  const isInside = targetsOf(connections, wanted).every((name) => wanted.has(name))
  const kept = entries.flatMap(([from, byType]) => {
    if (wanted.has(from)) return [[from, byType] as const]
    const ending = Object.entries(objectOf(byType)).flatMap(([type, outputs]) => {
      const some = listOf(outputs).map((targets) =>
        listOf(targets).filter((target) => wanted.has(String(objectOf(target).node)))
      )
      return some.some((targets) => targets.length > 0) ? [[type, some] as const] : []
    })
    return ending.length === 0 ? [] : [[from, Object.fromEntries(ending)] as const]
  })
  const leadsElsewhere = kept.some(([from]) => !wanted.has(from)) || !isInside
  const all = leadsElsewhere ? kept : [...entries.filter(([from]) => !wanted.has(from)).slice(0, 1), ...kept]
  return { kept: Object.fromEntries(all), leftOut: entries.length - all.length }
}

/** The names of the nodes at which connections of some nodes end. */
const targetsOf = (connections: JsonObject, from: ReadonlySet<string>): ReadonlyArray<string> =>
  [...from].flatMap((name) =>
    Object.values(objectOf(connections[name])).flatMap((outputs) =>
      listOf(outputs).flatMap((targets) => listOf(targets).map((target) => String(objectOf(target).node)))
    )
  )

/** The names of nodes, each once. */
export const namesOf = (nodes: unknown): ReadonlyArray<string> =>
  Array.isArray(nodes) ? [...new Set(nodes.filter(isJsonObject).map(nameOf))] : []

/** Only the nodes of these names. */
export const nodesNamed = (nodes: ReadonlyArray<JsonObject>, wanted: ReadonlySet<string>): ReadonlyArray<JsonObject> =>
  nodes.filter((node) => wanted.has(nameOf(node)))

/** The entries of a record by names of nodes for some of them, and the number of the others. */
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

const part = (name: string, entries: JsonObject): Readonly<Record<string, JsonObject>> =>
  Object.keys(entries).length === 0 ? {} : { [name]: entries }

const namesIn = (difference: Readonly<Record<string, JsonObject>>) =>
  Object.fromEntries(Object.entries(difference).map(([name, entries]) => [name, Object.keys(entries)]))

const byName = (nodes: unknown): JsonObject => Object.fromEntries(objectsOf(nodes).map((node) => [nameOf(node), node]))

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
