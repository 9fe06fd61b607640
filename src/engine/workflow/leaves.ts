import { Predicate } from "effect"

import { isJsonObject } from "../../internal/schema/JsonObject.ts"

/** A text or a number inside a value, and where it stands. */
export interface Leaf {
  /** From the value's root: `options.timeout`, `rules.values[0].outputKey`. */
  readonly path: string
  /** The name of its field, or that beside it where it is a `{name, value}`. */
  readonly field: string
  readonly text: string
}

const maxDepth = 60

/** Every text and number inside a value, in its order. */
export const leavesOf = (value: unknown, path = "", field = "", depth = 0): ReadonlyArray<Leaf> => {
  if (Predicate.isString(value) || Predicate.isNumber(value)) return [{ path, field, text: String(value) }]
  if (depth > maxDepth) return []
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, place) => leavesOf(item, `${path}[${place}]`, field, depth + 1))
  }
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) =>
    leavesOf(item, joined(path, name), name === "value" ? (nameBeside(value) ?? name) : name, depth + 1)
  )
}

/** `options.timeout`; a name that is none of a field stands in brackets. */
export const joined = (path: string, name: string): string => {
  if (!/^[\w$ -]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === "" ? name : `${path}.${name}`
}

/** What a `{name, value}` is called. */
export const nameBeside = (value: object): string | undefined => {
  const { key, name }: Readonly<Record<string, unknown>> = { ...value }
  return [name, key].find(Predicate.isString)
}
