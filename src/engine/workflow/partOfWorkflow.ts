import { Struct } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { isJsonObject } from "../../internal/schema/JsonObject.ts"
import { nameOf } from "../client/Workflow.ts"

/**
 * A workflow with only the nodes of these names, and what was left out, counted. The connections stay whole: they show
 * where the nodes belong, and an engine is not given a part for the whole, as they lead to nodes that are not there.
 */
export const partOfWorkflow = (
  workflow: JsonObject & { readonly nodes: ReadonlyArray<JsonObject> },
  names: ReadonlyArray<string>
): JsonObject => {
  const wanted = new Set(names)
  const nodes = chosen(workflow.nodes, wanted)
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
    ...(pins === undefined ? {} : { pinData: pins.kept })
  }
}

/** The names of nodes, each once. */
export const namesOf = (nodes: unknown): ReadonlyArray<string> =>
  Array.isArray(nodes) ? [...new Set(nodes.filter(isJsonObject).map(nameOf))] : []

/** Only the nodes of these names. */
export const chosen = (nodes: ReadonlyArray<JsonObject>, wanted: ReadonlySet<string>): ReadonlyArray<JsonObject> =>
  nodes.filter((node) => wanted.has(nameOf(node)))

/** What a record by names of nodes holds for some of them, and for how many others. */
export const partOfRecord = (record: JsonObject, wanted: ReadonlySet<string>) => {
  const entries = Object.entries(record)
  const kept = entries.filter(([name]) => wanted.has(name))
  return { kept: Object.fromEntries(kept), leftOut: entries.length - kept.length }
}
