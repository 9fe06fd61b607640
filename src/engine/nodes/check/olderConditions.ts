import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { nameOf } from "../../workflow/models.ts"
import { isEnabled, kindOf } from "../../workflow/triggers.ts"
import type { Catalog } from "../Catalog.ts"
import type { Finding } from "./Finding.ts"

const branching = new Set(["if", "filter", "switch"])

/** Engines of generation 1 fail on conditions that say how they are combined, but not how they compare. */
export const checkOlderConditions = (
  nodes: ReadonlyArray<JsonObject>,
  catalog: Catalog | undefined
): ReadonlyArray<Finding> => {
  if (catalog === undefined || Number.parseInt(catalog.version, 10) >= 2) return []
  return nodes
    .filter((node) => isEnabled(node) && branching.has(kindOf(node)))
    .flatMap((node) =>
      lacking(node.parameters, "parameters").map((field): Finding => ({
        level: "error",
        node: nameOf(node),
        field,
        problem: "has no options, without which this engine fails on it",
        fix: 'Add "options": {"caseSensitive": true, "leftValue": "", "typeValidation": "strict", "version": 2}'
      }))
    )
}

const lacking = (value: unknown, path: string): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((one, index) => lacking(one, `${path}[${index}]`))
  if (!isJsonObject(value)) return []
  const { combinator, conditions, options } = value
  if (Array.isArray(conditions) && combinator !== undefined) return options === undefined ? [path] : []
  return Object.entries(value).flatMap(([key, one]) => lacking(one, `${path}.${key}`))
}
