import { Predicate } from "effect"

import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"

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

/** A value that takes little room: long texts cut, lists by their first entry and length, deep objects by their fields. */
export const cutValue = (value: unknown, room: Room, depth = 0): unknown => {
  if (Predicate.isString(value)) return cutText(value, room.text)
  if (Array.isArray(value)) {
    if (value.length === 0) return value
    if (depth >= room.depth) return `[${value.length} entries]`
    const [first] = value
    return [cutValue(first, room, depth + 1), ...(value.length > 1 ? [`… ${value.length - 1} more`] : [])]
  }
  if (!isJsonObject(value)) return value
  const names = Object.keys(value)
  if (depth >= room.depth) return names.length === 0 ? {} : `{${cutText(names.slice(0, 8).join(", "), 80)}}`
  return cutFields(value, names, room, depth)
}

/** An object with the fields that matter first, as many as there is room for. */
export const cutFields = (value: JsonObject, names: ReadonlyArray<string>, room: Room, depth = 0): JsonObject => {
  const shown = names.slice(0, room.fields)
  const entries = shown.map((name): readonly [string, unknown] => [
    cutText(name, 60),
    cutValue(value[name], room, depth + 1)
  ])
  const rest = names.slice(room.fields)
  return {
    ...Object.fromEntries(entries),
    ...(rest.length === 0 ? {} : { "…": `${rest.length} more fields: ${cutText(rest.slice(0, 8).join(", "), 80)}` })
  }
}
