import { Predicate } from "effect"

import { clipped, quotedText, visibleJson } from "../../internal/foreignText.ts"
import { isSameJson } from "../../internal/json/digest.ts"
import { beginningOf } from "../../internal/json/values.ts"
import { fieldIn, isJsonObject } from "../../internal/schema/JsonObject.ts"
import { maskSecrets, maskText, masked } from "../../internal/secrets/maskSecrets.ts"
import { joined, nameBeside } from "./valuePaths.ts"

/** A place at which two values differ; what is on one side only is `undefined` on the other. */
export interface ValueDifference {
  /** From the value's root: `options.timeout`, `rules.values[0].outputKey`. */
  readonly path: string
  /** The name of the innermost field, or that beside it where it is a `{name, value}`. */
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/** Values are nested, but not without end. */
const maxDepth = 60

interface Place {
  readonly path: string
  readonly field: string
  readonly depth: number
}

/** Every innermost place at which two values differ. */
export const valueDifferences = (
  before: unknown,
  after: unknown,
  { depth, field, path }: Place = { path: "", field: "", depth: 0 }
): ReadonlyArray<ValueDifference> => {
  if (isSameJson(before, after)) return []
  if (depth < maxDepth && isJsonObject(before) && isJsonObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.flatMap((name) => {
      const beside = name === "value" ? nameBeside(after) : undefined
      const inner = { path: joined(path, name), field: beside ?? name, depth: depth + 1 }
      return valueDifferences(fieldIn(before, name), fieldIn(after, name), inner)
    })
  }
  if (depth < maxDepth && Array.isArray(before) && Array.isArray(after)) {
    return listDifferences(before, after, { path, field, depth })
  }
  return [{ path, field, before, after }]
}

/** Items are compared from both ends, so that one that is put in between does not make all later ones differ. */
const listDifferences = (
  before: ReadonlyArray<unknown>,
  after: ReadonlyArray<unknown>,
  { depth, field, path }: Place
): ReadonlyArray<ValueDifference> => {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && isSameJson(before[start], after[start])) start++
  let end = 0
  while (end < most - start && isSameJson(before.at(-1 - end), after.at(-1 - end))) end++
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  return Array.from({ length: Math.max(old.length, now.length) }, (_, place) =>
    valueDifferences(old[place], now[place], { path: `${path}[${start + place}]`, field, depth: depth + 1 })
  ).flat()
}

/** Characters of a value in a line. */
const room = 80

/** The beginning of a value's JSON without secrets; `undefined` for what JSON does not express. */
const beginningOfJson = (value: unknown, field: string, size: number): string | undefined => {
  const begun = beginningOf(value)
  const text = JSON.stringify(maskSecrets(begun, field))
  if (text === undefined || begun === value) return text && clipped(text, size)
  return clipped(text, size, JSON.stringify(value).length - JSON.stringify(begun).length)
}

/** A value in a few words, without secrets. */
export const shortValue = (value: unknown, field = "", size = room): string =>
  visibleJson(beginningOfJson(value, field, size) ?? "nothing")

/** The change at one place in words, and as a patch where it has several lines. */
export const describeValue = (
  name: string,
  { after, before, field }: Pick<ValueDifference, "after" | "before" | "field">
): { readonly text: string; readonly hunk?: string } => {
  if (before === undefined) return { text: `${name} set to ${shortValue(after, field)}` }
  if (after === undefined) return { text: `${name} removed (was ${shortValue(before, field)})` }
  if (Predicate.isString(before) && Predicate.isString(after)) return describeText(name, before, after, field)
  const [was, is] = [shortValue(before, field), shortValue(after, field)]
  return { text: was === is ? `${name} changed (${is})` : `${name} ${was} → ${is}` }
}

/** Characters of two texts up to which they are compared as they are; of longer ones, what stands around their difference. */
const mostCompared = 40_000
const around = 10_000

const describeText = (name: string, before: string, after: string, field: string) => {
  const isLong = before.length + after.length > mostCompared
  if (isLong && (before.includes("\n") || after.includes("\n"))) {
    const { added, removed } = lineDifference(before, after)
    return { text: `${name} changed: +${added} −${removed} lines` }
  }
  const start = isLong ? Math.max(sharedStart(before, after) - around, 0) : 0
  const part = (text: string) => (isLong ? text.slice(start, start + 2 * around) : text)
  return describeShort(name, part(before), part(after), field)
}

const describeShort = (name: string, before: string, after: string, field: string) => {
  const isHidden = maskSecrets(before, field) === masked && maskSecrets(after, field) === masked
  if (isHidden) return { text: `${name} changed (${masked})` }
  const [was, is] = [maskText(before), maskText(after)]
  if (was === is) return { text: `${name} changed in what is ${masked}` }
  if (/\n/.test(was) || /\n/.test(is)) {
    const { added, hunk, removed } = lineDifference(was, is)
    return { text: `${name} changed: +${added} −${removed} lines`, ...(hunk === undefined ? {} : { hunk }) }
  }
  const [from, to] = aroundDifference(was, is, room)
  return { text: `${name} ${quotedText(from)} → ${quotedText(to)}` }
}

/** A value for a machine: whole where it is short, else the beginning of its JSON. */
export const cutValue = (value: unknown, field: string, size = 300): unknown => {
  if (beginningOf(value) !== value) return beginningOfJson(value, field, size)
  const maskedValue = maskSecrets(value, field)
  const text = JSON.stringify(maskedValue)
  return text === undefined || text.length <= size ? maskedValue : clipped(text, size)
}

/** The lines in which two texts differ: as a person reads a patch, and counted. */
interface LineDifference {
  readonly added: number
  readonly removed: number
  /** Unified, with a line of context; nothing where it would be long. */
  readonly hunk?: string
}

/** More pairs of lines are not compared with each other; all of them then count as replaced. */
const maxPairs = 1_000_000

/** Lines of a hunk that is still shown. */
const maxHunkLines = 14

type Row = readonly [sign: " " | "-" | "+", line: string]

/** The lines in which two texts differ, counted and as a hunk. */
const lineDifference = (before: string, after: string): LineDifference => {
  const [old, now] = [before.split("\n"), after.split("\n")]
  const same = sharedStart(old, now)
  const sameEnd = sharedStart(old.slice(same).toReversed(), now.slice(same).toReversed())
  const rows = changedRows(old.slice(same, old.length - sameEnd), now.slice(same, now.length - sameEnd))
  const count = (wanted: Row[0]) => rows.filter(([sign]) => sign === wanted).length
  const counts = { added: count("+"), removed: count("-") }
  if (rows.length > maxHunkLines) return counts
  const context = (line: string | undefined): ReadonlyArray<Row> => (line === undefined ? [] : [[" ", line]])
  const shownRows = [
    ...context(old[same - 1]),
    ...rows,
    ...context(sameEnd === 0 ? undefined : old[old.length - sameEnd])
  ]
  const from = same === 0 ? 1 : same
  const lines = shownRows.map(([sign, line]) => sign + clipped(line, 159))
  return { ...counts, hunk: [`@@ line ${from} @@`, ...lines].join("\n") }
}

/** The number of items that two lists have in common from their beginnings on. */
const sharedStart = <A>(a: ArrayLike<A>, b: ArrayLike<A>): number => {
  const most = Math.min(a.length, b.length)
  let same = 0
  while (same < most && a[same] === b[same]) same++
  return same
}

/** The rows that lead from one list of lines to the other, as many kept as can be. */
const changedRows = (old: ReadonlyArray<string>, now: ReadonlyArray<string>): ReadonlyArray<Row> => {
  const removed = old.map((line): Row => ["-", line])
  const added = now.map((line): Row => ["+", line])
  if (old.length * now.length > maxPairs) return [...removed, ...added]
  const longest = longestShared(old, now)
  const at = (row: number, column: number) => longest[row]?.[column] ?? 0
  const rows: Array<Row> = []
  let [row, column] = [0, 0]
  while (row < old.length || column < now.length) {
    const [was, is] = [old[row], now[column]]
    if (was !== undefined && was === is) {
      rows.push([" ", was])
      row++
      column++
    } else if (was !== undefined && (is === undefined || at(row + 1, column) >= at(row, column + 1))) {
      rows.push(["-", was])
      row++
    } else if (is !== undefined) {
      rows.push(["+", is])
      column++
    }
  }
  return rows
}

/** The number of lines that the rests of both lists share, by the places at which the rests begin. */
const longestShared = (old: ReadonlyArray<string>, now: ReadonlyArray<string>): ReadonlyArray<Uint32Array> => {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1))
  for (let row = old.length - 1; row >= 0; row--) {
    const [here, below] = [table[row], table[row + 1]]
    if (here === undefined || below === undefined) continue
    for (let column = now.length - 1; column >= 0; column--) {
      here[column] =
        old[row] === now[column] ? (below[column + 1] ?? 0) + 1 : Math.max(below[column] ?? 0, here[column + 1] ?? 0)
    }
  }
  return table
}

/** Two texts of one line, each cut to where they differ. */
const aroundDifference = (before: string, after: string, room: number): readonly [string, string] => {
  if (before.length <= room && after.length <= room) return [before, after]
  const start = Math.max(sharedStart(Array.from(before), Array.from(after)) - Math.floor(room / 3), 0)
  return [cutAt(before, start, room), cutAt(after, start, room)]
}

const cutAt = (text: string, start: number, room: number) => {
  const units = Array.from(text)
  const part = units.slice(start, start + room).join("")
  return `${start > 0 ? "…" : ""}${part}${start + room < units.length ? "…" : ""}`
}
