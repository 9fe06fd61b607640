import { Predicate } from "effect"

import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { nameOf } from "./nodes.ts"
import { variablesOf } from "./references.ts"
import { kindOf } from "./triggers.ts"
import type { Path } from "./valuePaths.ts"

/** A parameter in which the editor keeps something that was chosen from a list, or given by its name or its id. */
interface Located {
  readonly mode: string
  readonly value: string
  /** Its name as the node remembers it; it may be called otherwise by now. */
  readonly name: string | undefined
}

/** A choice in a parameter; undefined where nothing is chosen. */
export const located = (parameter: unknown): Located | undefined => {
  const { cachedResultName: name, mode, value } = isJsonObject(parameter) ? parameter : { value: parameter }
  return Predicate.isString(value) && value.trim() !== ""
    ? {
        mode: Predicate.isString(mode) ? mode : "id",
        value: value.trim(),
        name: Predicate.isString(name) && name !== "" ? name : undefined
      }
    : undefined
}

/** A data table that a node uses: by its id, by its name, or by an expression that only a run evaluates. */
export interface TableUse {
  readonly node: string
  /** The place of the id, the name or the expression in the node. */
  readonly path: Path
  readonly by: "expression" | "id" | "name"
  readonly value: string
  /** The name that a node remembers beside an id. */
  readonly name: string | undefined
}

/** The data table of a node, also of one that is a tool of an agent; undefined where it uses none that is there before. */
export const tableOf = (node: JsonObject): TableUse | undefined => {
  const { dataTableId, operation, resource = "row", source = "dataTable" } = objectOf(node.parameters)
  const isUsed = tableNodes.has(kindOf(node))
    ? resource === "row" || operation === "delete" || operation === "update"
    : evaluations.has(kindOf(node)) && source === "dataTable"
  const choice = isUsed ? located(dataTableId) : undefined
  if (choice === undefined) return undefined
  const { mode, name, value } = choice
  return {
    node: nameOf(node),
    path: ["parameters", "dataTableId", ...(isJsonObject(dataTableId) ? ["value"] : [])],
    by: value.startsWith("=") ? "expression" : mode === "name" ? "name" : "id",
    value,
    name
  }
}

/** Whether a node makes a data table, so that others may use one that is not there before. */
export const createsTable = (node: JsonObject): boolean => {
  const { operation, resource } = objectOf(node.parameters)
  return tableNodes.has(kindOf(node)) && resource === "table" && operation === "create"
}

const tableNodes = new Set(["dataTable", "dataTableTool"])
const evaluations = new Set(["evaluation", "evaluationTrigger", "evaluationTool"])

/** The data tables that nodes use, one for each node. */
export const tableUses = (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<TableUse> =>
  nodes.flatMap((node) => tableOf(node) ?? [])

/** A variable of the engine that expressions or code of a node use; without a name, where only a run knows which. */
export interface VariableUse {
  readonly node: string
  readonly name: string | undefined
}

/** The variables that nodes use, each once for each node. */
export const variableUses = (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<VariableUse> =>
  nodes.flatMap((node) => variablesOf(node).map((name) => ({ node: nameOf(node), name })))
