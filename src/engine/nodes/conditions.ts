import { Equal, Predicate } from "effect"

import { isJsonObject, type JsonObject } from "../../internal/schema/JsonObject.ts"
import type { DisplayOptions, NodeType, Property } from "./NodeType.ts"

/** The values that decide whether something is shown. */
export interface Settings {
  /** The values beside it, with the defaults of those that were not given. */
  readonly values: unknown
  /** The values of the whole node. */
  readonly root: unknown
  readonly version: number
  /** Whether the node serves an agent as its tool. */
  readonly isTool: boolean
}

/** Whether something counts under these settings; what an expression decides may count. */
export const isShown = ({ hide, show }: DisplayOptions, settings: Settings): boolean => {
  for (const [name, wanted] of Object.entries(show ?? {})) {
    const actual = actualValues(name, settings)
    if (actual.some(isExpression)) return true
    if (!meets(wanted, actual)) return false
  }
  return !Object.entries(hide ?? {}).some(([name, wanted]) => {
    const actual = actualValues(name, settings)
    return actual.length > 0 && meets(wanted, actual)
  })
}

/** A text that the engine computes when it runs. */
export const isExpression = (value: unknown): value is string => Predicate.isString(value) && value.startsWith("=")

const actualValues = (name: string, { isTool, root, values, version }: Settings): ReadonlyArray<unknown> => {
  if (name === "@version") return [version]
  if (name === "@tool") return [isTool]
  const given = name.startsWith("/") ? valueAt(root, name.slice(1)) : valueAt(values, name)
  const value = isJsonObject(given) && given.__rl === true ? given.value : given
  return Array.isArray(value) ? value : [value]
}

/** The value at a path such as `options.output.format` or `rules[0].name`. */
const valueAt = (value: unknown, path: string): unknown => {
  let inner = value
  for (const step of path.split(/[.[\]]+/).filter((part) => part !== "")) {
    if (!Predicate.isObjectOrArray(inner) || !Object.hasOwn(inner, step)) return undefined
    inner = new Map<string, unknown>(Object.entries(inner)).get(step)
  }
  return inner
}

const meets = (wanted: ReadonlyArray<unknown>, actual: ReadonlyArray<unknown>): boolean =>
  wanted.some((condition) => {
    const rule = isJsonObject(condition) && isJsonObject(condition._cnd) ? Object.entries(condition._cnd)[0] : undefined
    if (rule === undefined) return actual.includes(condition)
    const [key, target] = rule
    return actual.length === 0 ? key === "not" : actual.every((value) => holds(key, value, target))
  })

const holds = (key: string, value: unknown, target: unknown): boolean => {
  const order = compare(value, target)
  if (key === "eq") return Equal.equals(value, target)
  if (key === "not") return !Equal.equals(value, target)
  if (key === "gte") return order >= 0
  if (key === "lte") return order <= 0
  if (key === "gt") return order > 0
  if (key === "lt") return order < 0
  if (key === "between") {
    return isJsonObject(target) && compare(value, target.from) >= 0 && compare(value, target.to) <= 0
  }
  if (key === "exists") return value !== undefined && value !== null && value !== ""
  if (!Predicate.isString(value) || !Predicate.isString(target)) return false
  if (key === "includes") return value.includes(target)
  if (key === "startsWith") return value.startsWith(target)
  if (key === "endsWith") return value.endsWith(target)
  // Patterns of packages are not run: what one decides may count.
  return key === "regex"
}

/** Below, at or above 0; what has no order has `NaN`, of which nothing holds. */
const compare = (a: unknown, b: unknown): number => {
  if (Predicate.isNumber(a) && Predicate.isNumber(b)) return a - b
  return Predicate.isString(a) && Predicate.isString(b) ? a.localeCompare(b) : Number.NaN
}

/** Most rounds in which values are computed because they depend on others; no form is nested deeper. */
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

/** The default value of a parameter. */
const usual = ({ default: value, type }: Property): unknown =>
  type.endsWith("Locator") && isJsonObject(value) ? { __rl: true, ...value } : (value ?? "")

/** The settings that decide about the parameters of a node: its own values, and its version. */
export const settingsOf = ({ properties, type }: NodeType, given: JsonObject, version: number): Settings => {
  const context = { version, isTool: type.endsWith("Tool") }
  const values = effectiveValues(properties, given, context)
  return { ...context, values, root: values }
}
