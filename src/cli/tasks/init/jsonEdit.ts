import { Predicate } from "effect"
import { applyEdits, type Edit, modify, parse } from "jsonc-parser"

/** One value to set at a path of a JSON text. */
export interface Change {
  readonly path: ReadonlyArray<string>
  readonly value: unknown
}

/** The value at a path. */
export const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (inner, name) => (Predicate.isObject(inner) && Object.hasOwn(inner, name) ? Reflect.get(inner, name) : undefined),
    value
  )

/**
 * A text of one JSON object with these changes. Everything outside of replaced values stays: comments, order, indentation,
 * trailing commas.
 */
export const changed = (text: string, changes: ReadonlyArray<Change>): string =>
  changes.reduce(
    (before, change) => applyEdits(before, [...edits(before, change)]),
    text.replace(/^\uFEFF/, "").trim() === "" ? "{}\n" : text
  )

const edits = (text: string, { path, value }: Change): ReadonlyArray<Edit> => {
  const [edit] = modify(text, [...path], value, {})
  if (edit === undefined) return []
  const { eol, indent } = formatOf(text)
  const json: unknown = parse(text, [], { allowTrailingComma: true })
  if (at(json, ...path) !== undefined) return [{ ...edit, content: pretty(value, indent, eol, path.length) }]
  const depth = path.findIndex((_, index) => at(json, ...path.slice(0, index + 1)) === undefined)
  const nested = path.slice(depth + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
  const field = `${eol}${indent.repeat(depth + 1)}${JSON.stringify(path[depth])}: ${pretty(nested, indent, eol, depth + 1)}`
  return inserted(text, edit, field, `${eol}${indent.repeat(depth)}`)
}

/** A new field is added after the last one, and after a comment on that one's line; in an empty object, on its own line. */
const inserted = (text: string, { content, offset }: Edit, field: string, lastLine: string): ReadonlyArray<Edit> => {
  const behind = text.slice(offset)
  if (!content.startsWith(",")) {
    const closing = /^[ \t]*\r?\n/.test(behind) ? "" : lastLine
    return [{ offset, length: 0, content: field + closing }]
  }
  const remark = /^([ \t]*,)?[ \t]*(?:\/\/[^\n\r]*|\/\*[^\n\r]*?\*\/[ \t]*)(?=\r?\n)/.exec(behind)
  if (remark === null) return [{ offset, length: 0, content: `,${field}` }]
  const [line, comma] = remark
  const end = offset + line.length
  return comma === undefined
    ? [
        { offset, length: 0, content: "," },
        { offset: end, length: 0, content: field }
      ]
    : [{ offset: end, length: 0, content: `${field},` }]
}

const pretty = (value: unknown, indent: string, eol: string, depth: number): string =>
  JSON.stringify(value, undefined, indent).replaceAll("\n", eol + indent.repeat(depth))

/** The layout of a text, by its first indented line. */
const formatOf = (text: string) => {
  const line = text.split("\n").find((one) => /^[ \t]+\S/.test(one)) ?? "  -"
  const [indent = ""] = /^[ \t]+/.exec(line) ?? []
  return { indent, eol: text.includes("\r\n") ? "\r\n" : "\n" }
}
