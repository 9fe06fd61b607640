import { Predicate } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"

/** A value as part of a text. */
export const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return ""
  return Predicate.isString(value) ? value : JSON.stringify(value)
}

/** An entry of a table under a name from outside; never an inherited member such as `constructor`. */
export const own = <A>(table: Readonly<Record<string, A>>, name: unknown): A | undefined =>
  Object.hasOwn(table, textOf(name)) ? table[textOf(name)] : undefined

/** These fields of an object, in this order, and no others. */
export const pick = (names: ReadonlyArray<string>, value: JsonObject): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]])))
