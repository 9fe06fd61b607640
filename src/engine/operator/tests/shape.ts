import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { type Path, pathText } from "../../workflow/valuePaths.ts"
import { matchesPattern } from "./PathPattern.ts"

/**
 * The shape of a value: `"string"`, `"number|null"`, `"any"`; `[shape]` for a list, `[]` for any list; for an object its
 * fields, of which those that end in `?` may be missing.
 */
type Shape = unknown

/** The shape that all these items have. */
export const shapeOf = (items: ReadonlyArray<JsonObject>): JsonObject =>
  objectOf(items.map(one).reduce(merged, undefined))

const typeOf = (value: unknown): string => (value === null ? "null" : typeof value)

const one = (value: unknown): Shape => {
  if (Array.isArray(value)) {
    const inside = value.map(one).reduce(merged, undefined)
    return inside === undefined ? [] : [inside]
  }
  if (!isJsonObject(value)) return typeOf(value)
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, one(field)]))
}

const merged = (a: Shape, b: Shape): Shape => {
  if (a === undefined) return b
  if (b === undefined) return a
  if (Array.isArray(a) && Array.isArray(b)) {
    const inside = merged(a[0], b[0])
    return inside === undefined ? [] : [inside]
  }
  if (isJsonObject(a) && isJsonObject(b)) return mergedFields(a, b)
  if (a === "any" || b === "any") return "any"
  if (typeof a === "string" && typeof b === "string") return [...new Set(`${a}|${b}`.split("|"))].join("|")
  return "any"
}

const bare = (name: string) => (name.endsWith("?") ? name.slice(0, -1) : name)

const mergedFields = (a: JsonObject, b: JsonObject): JsonObject => {
  const [left, right] = [fieldsOf(a), fieldsOf(b)]
  const names = new Set([...left.keys(), ...right.keys()])
  return Object.fromEntries(
    [...names].map((name) => {
      const isSure = left.get(name)?.isSure === true && right.get(name)?.isSure === true
      return [isSure ? name : `${name}?`, merged(left.get(name)?.shape, right.get(name)?.shape)]
    })
  )
}

const fieldsOf = (shape: JsonObject) =>
  new Map(Object.entries(shape).map(([name, inside]) => [bare(name), { isSure: !name.endsWith("?"), shape: inside }]))

interface Misfit {
  readonly path: string
  readonly expected?: unknown
  readonly got?: unknown
}

/** The places at which a value does not fit a shape, including fields that the shape does not have. */
export const misfits = (
  shape: Shape,
  value: unknown,
  ignore: ReadonlyArray<Path>,
  path: Path = []
): ReadonlyArray<Misfit> => {
  if (shape === "any" || (path.length > 0 && ignore.some((pattern) => matchesPattern(path, pattern)))) return []
  if (Array.isArray(shape) && Array.isArray(value)) {
    const [inside]: ReadonlyArray<Shape> = shape
    return inside === undefined
      ? []
      : value.flatMap((item: unknown, at) => misfits(inside, item, ignore, [...path, at]))
  }
  if (isJsonObject(shape) && isJsonObject(value)) {
    const fields = fieldsOf(shape)
    return [
      ...[...fields].flatMap(([name, field]) => {
        if (Object.hasOwn(value, name)) return misfits(field.shape, value[name], ignore, [...path, name])
        return field.isSure ? misfits(field.shape, undefined, ignore, [...path, name]) : []
      }),
      ...Object.keys(value)
        .filter((name) => !fields.has(name))
        .flatMap((name) => misfits(undefined, value[name], ignore, [...path, name]))
    ]
  }
  if (typeof shape === "string" && value !== undefined && shape.split("|").includes(kindOf(value))) return []
  return [{ path: pathText(path), ...(shape === undefined ? {} : { expected: inWords(shape) }), got: value }]
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? "list" : typeOf(value))

const inWords = (shape: Shape): string =>
  Array.isArray(shape) ? "a list" : isJsonObject(shape) ? "an object" : String(shape)
