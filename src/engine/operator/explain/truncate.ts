import { Predicate } from "effect"

import { clipped } from "../../../internal/foreignText.ts"
import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { maskSecrets } from "../../../internal/secrets/maskSecrets.ts"

/** Limits for a value: characters of a text, fields of an object, and depth. */
export interface Limits {
  readonly text: number
  readonly fields: number
  readonly depth: number
}

/** Characters of a text that are searched for secrets; far more than are shown. */
const searched = 4000

/** A short form of a value, with secrets masked: long texts are cut, lists shown by their first entry and their length. */
export const truncateValue = (value: unknown, limits: Limits, name = ""): unknown =>
  maskSecrets(cut(value, limits, name, 0), name)

/** A short form of these fields of an object, in this order. */
export const truncateFields = (value: JsonObject, names: ReadonlyArray<string>, limits: Limits): unknown =>
  maskSecrets(fieldsOf(value, names, limits, 0))

const cut = (value: unknown, limits: Limits, name: string, depth: number): unknown => {
  if (Predicate.isString(value)) {
    if (/^stack(Trace)?$/i.test(name) && /\n[^\S\n]*at /.test(value)) return "[left out]"
    const text = maskSecrets(value.slice(0, searched), name)
    return Predicate.isString(text) ? clipped(text + value.slice(searched), limits.text) : text
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return value
    if (depth >= limits.depth) return `[${value.length} entries]`
    const [first]: ReadonlyArray<unknown> = value
    return [cut(first, limits, name, depth + 1), ...(value.length > 1 ? [`… ${value.length - 1} more`] : [])]
  }
  if (!isJsonObject(value)) return value
  const names = Object.keys(value)
  if (depth >= limits.depth) return names.length === 0 ? {} : `{${clipped(names.slice(0, 8).join(", "), 80)}}`
  return fieldsOf(value, names, limits, depth)
}

const fieldsOf = (value: JsonObject, names: ReadonlyArray<string>, limits: Limits, depth: number): JsonObject => {
  const entries = names
    .slice(0, limits.fields)
    .map((name): readonly [string, unknown] => [clipped(name, 60), cut(value[name], limits, name, depth + 1)])
  const rest = names.slice(limits.fields)
  return {
    ...Object.fromEntries(entries),
    ...(rest.length === 0 ? {} : { "…": `${rest.length} more fields: ${clipped(rest.slice(0, 8).join(", "), 80)}` })
  }
}
