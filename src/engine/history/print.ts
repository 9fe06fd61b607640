import { isJsonObject } from "../../internal/schema/JsonObject.ts"

/** Characters of something that is written on one line. */
const longest = 80

/** What has a line for each of its fields, however short it is: there, changes are looked for. */
const open = ["nodes", "connections", "parameters", "settings", "credentials"]

/**
 * JSON for people to compare: what is short, such as a position or where a connection leads, stands on one line, so that
 * a change of it is one line of a difference.
 */
export const printed = (value: unknown): string => `${print(value, "", "")}\n`

const print = (value: unknown, field: string, indent: string): string => {
  const parts = partsOf(value)
  if (parts === undefined) return JSON.stringify(value) ?? "null"
  if (parts.length === 0) return Array.isArray(value) ? "[]" : "{}"
  const line = onOneLine(value)
  if (indent !== "" && !open.includes(field) && line.length <= longest) return line
  const inner = `${indent}  `
  const lines = parts.map(([name, item]) => `${inner}${label(name)}${print(item, name ?? "", inner)}`)
  const [begin, end] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
  return `${begin}\n${lines.join(",\n")}\n${indent}${end}`
}

const onOneLine = (value: unknown): string => {
  const parts = partsOf(value)
  if (parts === undefined) return JSON.stringify(value) ?? "null"
  const items = parts.map(([name, item]) => `${label(name)}${onOneLine(item)}`).join(", ")
  if (Array.isArray(value)) return `[${items}]`
  return items === "" ? "{}" : `{ ${items} }`
}

/** Items of a list, or fields of an object with their names; nothing of what has no parts. */
const partsOf = (value: unknown): ReadonlyArray<readonly [string | undefined, unknown]> | undefined => {
  if (Array.isArray(value)) return value.map((item: unknown) => [undefined, item] as const)
  return isJsonObject(value) ? Object.entries(value).filter(([, item]) => item !== undefined) : undefined
}

const label = (name: string | undefined): string => (name === undefined ? "" : `${JSON.stringify(name)}: `)
