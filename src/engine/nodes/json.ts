import { Predicate } from "effect"

import { listOf } from "../../internal/schema/JsonObject.ts"

/** Lenient looks at JSON of which nothing is promised, as `objectOf` and `listOf`. */
export const textOf = (value: unknown): string => (Predicate.isString(value) ? value : "")

export const textsOf = (value: unknown): ReadonlyArray<string> => listOf(value).filter(Predicate.isString)

export const numbersOf = (value: unknown): ReadonlyArray<number> =>
  (Array.isArray(value) ? value : [value]).filter(Predicate.isNumber)

/** The value at a path such as `options.output.format` or `rules[0].name`. */
export const valueAt = (value: unknown, path: string): unknown => {
  let found = value
  for (const step of path.split(/[.[\]]+/).filter((part) => part !== "")) {
    if (!Predicate.isObjectOrArray(found) || !Object.hasOwn(found, step)) return undefined
    found = new Map<string, unknown>(Object.entries(found)).get(step)
  }
  return found
}
