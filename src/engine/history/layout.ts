import { Predicate } from "effect"

import { parseJson } from "../../internal/json/values.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { nameOf } from "../workflow/models.ts"
import { slug, withinBytes } from "./paths.ts"
import { printed } from "./print.ts"

/** Files by their path. */
type Files = ReadonlyMap<string, string>

/**
 * A workflow as files: `BASE.json` with its fields in a fixed order, and long or multi-line texts as files of their own in the
 * folder `BASE`, for which `BASE.json` has `{ "$file": "Fetch.jsCode.js" }`. A long text without line breaks is stored with a
 * line per sentence, marked by `"joined": true`.
 */
export const filesOf = (base: string, record: JsonObject): Files => {
  const texts = new Map<string, string>()
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  const keep = (text: string, stem: string, extension: string): JsonObject => {
    const nameWith = (count: number) => `${stem}${count === 1 ? "" : `-${count}`}.${extension}`
    const alike = nameWith(1).toLowerCase()
    let count = counts.get(alike) ?? 1
    while (taken.has(nameWith(count).toLowerCase())) count++
    taken.add(nameWith(count).toLowerCase())
    counts.set(alike, count + 1)
    const isBroken = canBeBroken(text)
    texts.set(nameWith(count), isBroken ? inLines(text) : text)
    return { [pointer]: nameWith(count), ...(isBroken ? { [joined]: true } : {}) }
  }
  const { nodes, ...rest } = record
  const top = apart(rest, (text, path) => (isLong(text) ? keep(text, stemOf(path), extensionOf(text, path)) : text))
  const parts = Array.isArray(nodes) ? nodes.map((node) => nodeApart(node, keep)) : apart(nodes, same)
  const written = { ...objectOf(top), ...(nodes === undefined ? {} : { nodes: parts }) }
  const main = printed(inOrder(written, fieldOrder))
  return new Map([[`${base}.json`, main], ...[...texts].map(([name, text]) => [`${base}/${name}`, text] as const)])
}

type Keep = (text: string, stem: string, extension: string) => unknown

const nodeApart = (node: unknown, keep: Keep): unknown => {
  if (!isJsonObject(node)) return apart(node, same)
  const stem = (path: Path) => `${slug(nameOf(node))}.${stemOf(path).split(".").at(-1) ?? ""}`
  const written = apart(node, (text, path) =>
    isLong(text) && path.length > 1 ? keep(text, stem(path), extensionOf(text, path)) : text
  )
  return isJsonObject(written) ? inOrder(written, nodeOrder) : written
}

/** Reads a workflow back; undefined if a file is missing or was not written by `filesOf`. */
export const recordAt = (base: string, files: Files): JsonObject | undefined => {
  const main = files.get(`${base}.json`)
  if (main === undefined) return undefined
  const read = parseJson(main)
  if (read._tag === "None") return undefined
  let isWhole = true
  const whole = together(read.value, (name) => {
    const text = files.get(`${base}/${name}`)
    isWhole &&= text !== undefined
    return text ?? ""
  })
  return isWhole && isJsonObject(whole) ? whole : undefined
}

/** Characters of a node in a file, about. */
const nodeLength = 500

/** The work that it takes to read a workflow back, by the length of its file. */
export const weightAt = (base: string, files: Files): number =>
  1 + (files.get(`${base}.json`)?.length ?? 0) / nodeLength

/** The only field of an object that stands for a file. Fields of that name in a workflow get one more `$`. */
const pointer = "$file"
const joined = "joined"
const isPointerLike = (name: string) => /^\$+file$/.test(name)

const same = (text: string): unknown => text

type Path = ReadonlyArray<string>

const apart = (value: unknown, take: (text: string, path: Path) => unknown, path: Path = []): unknown => {
  if (Predicate.isString(value)) return take(value, path)
  if (Array.isArray(value)) return value.map((item: unknown, place) => apart(item, take, [...path, String(place)]))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [isPointerLike(name) ? `$${name}` : name, apart(value[name], take, [...path, name])])
  )
}

const together = (value: unknown, textOf: (name: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((item: unknown) => together(item, textOf))
  if (!isJsonObject(value)) return value
  const file = value[pointer]
  if (Predicate.isString(file)) return value[joined] === true ? inOneLine(textOf(file)) : textOf(file)
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [isPointerLike(name) ? name.slice(1) : name, together(item, textOf)])
  )
}

/** Texts that are better compared line by line, if a file can hold them unchanged. */
const isLong = (text: string): boolean => (text.includes("\n") || text.length > 300) && text.isWellFormed()

/** Most bytes of the fields in the name of a file. */
const longestStem = 200

const stemOf = (path: Path): string => {
  const fields = path.filter((part) => !/^\d+$/.test(part)).map(slug)
  return withinBytes(fields.join("."), longestStem) || "text"
}

const extensions: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(jsCode|functionCode|jsFunction)$/, "js"],
  [/^pythonCode$/, "py"],
  [/^(query|sql|sqlQuery)$/i, "sql"],
  [/html/i, "html"],
  [/^css/i, "css"],
  [/(json|schema)/i, "json"],
  [/^(markdown|notes|content|prompt|systemMessage)$/i, "md"]
]

const extensionOf = (text: string, path: Path): string => {
  const field = path.at(-1) ?? ""
  const extension = extensions.find(([pattern]) => pattern.test(field))?.[1]
  if (extension !== undefined) return extension
  return /^\s*[[{]/.test(text) && parseJson(text)._tag === "Some" ? "json" : "txt"
}

const fieldOrder = ["name", "id", "active", "isArchived", "description", "tags", "nodes", "connections", "settings"]
const nodeOrder = ["name", "type", "typeVersion", "disabled", "id", "position", "parameters", "credentials"]

/** The most important fields first, then all others in alphabetical order. */
const inOrder = (value: JsonObject, first: ReadonlyArray<string>): JsonObject => {
  const names = Object.keys(value)
  const leading = first.filter((name) => names.includes(name))
  return Object.fromEntries(
    [...leading, ...names.filter((name) => !leading.includes(name)).toSorted()].map((name) => [name, value[name]])
  )
}

/** The places at which a long line can be broken so that a small change affects few lines. */
const ends = /(?<=[.!?;:] )|(?<=>)(?=<)|(?<=[,{[])(?=["{[])/

/** A text without line breaks, with a line for each sentence, tag or field. */
const inLines = (text: string): string => `${text.split(ends).join("\n")}\n`

/** The text before it was broken into lines. */
const inOneLine = (text: string): string => text.replaceAll("\n", "")

/** Whether breaking a text into lines can be reversed. */
const canBeBroken = (text: string): boolean => !/[\r\n]/.test(text)
