import { Predicate } from "effect"

import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { maskSecrets } from "../../workflow/maskSecrets.ts"

/** A text of so many characters at most; the end says how long the whole was. */
export const cutText = (text: string, most: number): string =>
  text.length <= most ? text : `${wholeCharacters(text.slice(0, Math.max(most, 1)))}… (${text.length} characters)`

/** Without half a character at the end. */
const wholeCharacters = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, "")

/** How much of a value is shown. */
export interface Room {
  readonly text: number
  readonly fields: number
  readonly depth: number
}

/** Characters of a text that are searched for secrets; far more than are shown. */
const searched = 4000

/** A value that takes little room and shows no secret: long texts cut, lists by their first entry and their length. */
export const cutValue = (value: unknown, room: Room, name = ""): unknown => maskSecrets(cut(value, room, name, 0), name)

/** The same of an object with the fields that matter first. */
export const cutFields = (value: JsonObject, names: ReadonlyArray<string>, room: Room): unknown =>
  maskSecrets(fieldsOf(value, names, room, 0))

const cut = (value: unknown, room: Room, name: string, depth: number): unknown => {
  if (Predicate.isString(value)) {
    if (/^stack(Trace)?$/i.test(name) && /\n\s*at /.test(value)) return "[left out]"
    const text = maskSecrets(value.slice(0, searched), name)
    return Predicate.isString(text) ? cutText(text + value.slice(searched), room.text) : text
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return value
    if (depth >= room.depth) return `[${value.length} entries]`
    const [first]: ReadonlyArray<unknown> = value
    return [cut(first, room, name, depth + 1), ...(value.length > 1 ? [`… ${value.length - 1} more`] : [])]
  }
  if (!isJsonObject(value)) return value
  const names = Object.keys(value)
  if (depth >= room.depth) return names.length === 0 ? {} : `{${cutText(names.slice(0, 8).join(", "), 80)}}`
  return fieldsOf(value, names, room, depth)
}

const fieldsOf = (value: JsonObject, names: ReadonlyArray<string>, room: Room, depth: number): JsonObject => {
  const entries = names
    .slice(0, room.fields)
    .map((name): readonly [string, unknown] => [cutText(name, 60), cut(value[name], room, name, depth + 1)])
  const rest = names.slice(room.fields)
  return {
    ...Object.fromEntries(entries),
    ...(rest.length === 0 ? {} : { "…": `${rest.length} more fields: ${cutText(rest.slice(0, 8).join(", "), 80)}` })
  }
}
