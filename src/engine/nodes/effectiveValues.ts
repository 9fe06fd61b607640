import { type JsonObject, isJsonObject } from "../../internal/schema/JsonObject.ts"
import { isShown, type Settings } from "./conditions.ts"
import type { NodeType, Property } from "./NodeType.ts"

/** How often values are looked at again because others depend on them; no form is nested deeper. */
const maxRounds = 12

/** The given values of a node, and for all others those that the engine takes. */
export const effectiveValues = (
  properties: ReadonlyArray<Property>,
  given: JsonObject,
  context: Omit<Settings, "values" | "root">,
  root?: unknown
): JsonObject => {
  const counts = new Map<string, number>()
  for (const { name } of properties) counts.set(name, (counts.get(name) ?? 0) + 1)
  let values: JsonObject = given
  for (let round = 0; round < maxRounds; round++) {
    const settings = { ...context, values, root: root ?? values }
    const next: Record<string, unknown> = { ...given }
    for (const property of properties) {
      if (Object.hasOwn(next, property.name)) continue
      // Of several parameters of one name, the one that is shown counts.
      if (counts.get(property.name) === 1 || isShown(property, settings)) next[property.name] = usual(property)
    }
    if (JSON.stringify(next) === JSON.stringify(values)) break
    values = next
  }
  return values
}

/** The value that a parameter has where nobody gave one. */
const usual = ({ default: value, type }: Property): unknown =>
  type.endsWith("Locator") && isJsonObject(value) ? { __rl: true, ...value } : (value ?? "")

/** What decides about the parameters of a node: its own values, and its version. */
export const settingsOf = ({ properties, type }: NodeType, given: JsonObject, version: number): Settings => {
  const context = { version, isTool: type.endsWith("Tool") }
  const values = effectiveValues(properties, given, context)
  return { ...context, values, root: values }
}
