import { Predicate } from "effect"

import { nameText, quotedLines, visible } from "../../../internal/foreignText.ts"
import { hasRoom, readable, type Style, table } from "../../terminal.ts"

/** Fields with text for people, shown without their name. */
const drawings: ReadonlySet<string> = new Set(["sketch", "text", "mermaid"])

/** A tool's answer as text for people: drawings as they are, lists as tables, the rest by name and indented. */
export const render = (answer: Readonly<Record<string, unknown>>, style: Style): string => {
  const entries = Object.entries(answer).filter(([, value]) => value !== undefined)
  const isDrawing = ([name, value]: readonly [string, unknown]) => drawings.has(name) && Predicate.isString(value)
  const blocks = entries.map((entry): ReadonlyArray<string> => {
    const [name, value] = entry
    if (isDrawing(entry)) return ["", ...visible(String(value)).split("\n")]
    if (name === "data" && isRows(value)) return rowsOf(value, style)
    return field(name, value, style)
  })
  return trimmed(entries.length === 0 ? ["done"] : blocks.flat()).join("\n")
}

const trimmed = (lines: ReadonlyArray<string>) => {
  const first = lines.findIndex((line) => line !== "")
  return lines.slice(Math.max(first, 0), lines.findLastIndex((line) => line !== "") + 1)
}

const indent = (lines: ReadonlyArray<string>) => lines.map((line) => (line === "" ? "" : `  ${line}`))

/** One field with its name: on one line if it fits. */
const field = (name: string, value: unknown, style: Style): ReadonlyArray<string> => {
  const label = style.label(`${nameText(name)}:`)
  const short = inline(value)
  if (short !== undefined) return [`${label} ${readable(short, style)}`]
  if (Predicate.isString(value)) return [label, ...indent(quotedLines(value))]
  return [label, ...indent(isRows(value) ? rowsOf(value, style) : inside(value, style))]
}

/** A value short enough to stand after a name: a single-line text, a number, a few of these. */
const inline = (value: unknown): string | undefined => {
  if (Predicate.isString(value)) {
    const text = visible(value)
    return text.includes("\n") ? undefined : text
  }
  if (!Predicate.isObjectOrArray(value)) return String(value)
  const parts: ReadonlyArray<unknown> = Object.values(value)
  if (parts.length === 0) return Array.isArray(value) ? "[]" : "{}"
  return Array.isArray(value)
    ? inlineList(parts.map((part) => (Predicate.isObjectOrArray(part) ? undefined : inline(part))))
    : undefined
}

/** A few words with commas between, if it is clear how many there are. */
const inlineList = (parts: ReadonlyArray<string | undefined>): string | undefined => {
  const words = parts.filter((part) => part !== undefined && !part.includes(",") && part.length <= 40)
  const text = words.join(", ")
  return words.length === parts.length && text.length <= longest ? text : undefined
}

const inside = (value: unknown, style: Style): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => listed(item, style))
  return Object.entries(Object(value)).flatMap(([name, inner]) => field(name, inner, style))
}

/** One item of a list that is not a table. */
const listed = (item: unknown, style: Style): ReadonlyArray<string> => {
  const short = inline(item)
  const [first = "", ...others] = short === undefined ? inside(item, style) : [short]
  return [`- ${first}`, ...indent(others)]
}

type Row = Readonly<Record<string, unknown>>

const isRows = (value: unknown): value is ReadonlyArray<Row> =>
  Array.isArray(value) && value.every((item) => Predicate.isObject(item))

/** Rows as a table if every cell is short, otherwise one after the other. */
const rowsOf = (rows: ReadonlyArray<Row>, style: Style): ReadonlyArray<string> => {
  if (rows.length === 0) return [style.faint("none")]
  const heads = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = rows.map((row) => heads.map((head) => cell(row[head], style)))
  const whole = cells.filter((row): row is ReadonlyArray<string> & Array<string> => row.every(Predicate.isNotUndefined))
  return whole.length === cells.length && hasRoom(heads.length, style)
    ? table(heads.map(nameText), whole, style)
    : rows.flatMap((row) => listed(row, style))
}

const longest = 120

/** A value in a table: the name of things that have one. Too long ones have no place in it, unless they are cut there. */
const cell = (value: unknown, style: Style): string | undefined => {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return "-"
  const names = Array.isArray(value) ? value.map(nameOf) : [nameOf(value)]
  const text = names.length > 0 && names.every(Predicate.isString) ? names.map(visible).join(", ") : inline(value)
  if (text === undefined || text.includes("\n")) return undefined
  return style.width === undefined && text.length > longest ? undefined : readable(text, style)
}

const nameOf = (value: unknown): string | undefined =>
  Predicate.hasProperty(value, "name") && Predicate.isString(value.name) ? value.name : undefined

/** The field of an answer at a path such as `data.0.name`: a string as it is, everything else as JSON. */
export const fieldAt = (answer: unknown, path: string): string | undefined => {
  const value = path
    .split(".")
    .reduce<unknown>(
      (at, name) => (Predicate.isObjectOrArray(at) && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined),
      answer
    )
  return value === undefined || Predicate.isString(value) ? value : JSON.stringify(value)
}
