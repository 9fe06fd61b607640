import { isJsonObject } from "../../internal/schema/JsonObject.ts"

/** Most characters of a value on one line. */
const longest = 80

/** Objects with a line for each field, however short: changes are mostly here. */
const open = ["nodes", "connections", "parameters", "settings", "credentials"]

/**
 * JSON for comparison by people: short values, such as a position or a connection, are on one line, so that their change is one
 * line of a diff.
 */
export const printed = (value: unknown): string => `${print(value, "", "")}\n`

const print = (value: unknown, field: string, indent: string): string => {
  const parts = partsOf(value)
  if (parts === undefined) return JSON.stringify(value) ?? "null"
  if (parts.length === 0) return Array.isArray(value) ? "[]" : "{}"
  const line = indent === "" || open.includes(field) ? undefined : onOneLine(value, longest)
  if (line !== undefined && line.length <= longest) return line
  const inner = `${indent}  `
  const lines = parts.map(([name, item]) => `${inner}${label(name)}${print(item, name ?? "", inner)}`)
  const [begin, end] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
  return `${begin}\n${lines.join(",\n")}\n${indent}${end}`
}

/** Undefined if its parts alone are longer than `room`: what is deep is not gone through at every depth. */
const onOneLine = (value: unknown, room: number): string | undefined => {
  const parts = partsOf(value)
  if (parts === undefined) return JSON.stringify(value) ?? "null"
  const texts: Array<string> = []
  let left = room
  for (const [name, item] of parts) {
    const text = onOneLine(item, left)
    if (text === undefined) return undefined
    texts.push(`${label(name)}${text}`)
    left -= text.length
    if (left < 0) return undefined
  }
  const items = texts.join(", ")
  if (Array.isArray(value)) return `[${items}]`
  return items === "" ? "{}" : `{ ${items} }`
}

/** Items of a list, or fields of an object with their names; undefined for other values. */
const partsOf = (value: unknown): ReadonlyArray<readonly [string | undefined, unknown]> | undefined => {
  if (Array.isArray(value)) return value.map((item: unknown) => [undefined, item] as const)
  return isJsonObject(value) ? Object.entries(value).filter(([, item]) => item !== undefined) : undefined
}

const label = (name: string | undefined): string => (name === undefined ? "" : `${JSON.stringify(name)}: `)
