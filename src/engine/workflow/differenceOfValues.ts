import { Predicate } from "effect"

import { clipped, quotedText, visibleJson } from "../../internal/foreignText.ts"
import { beginningOf } from "../../internal/json/beginningOf.ts"
import { type JsonObject, isJsonObject } from "../../internal/schema/JsonObject.ts"
import { masked, maskSecrets, maskText } from "../../internal/secrets/maskSecrets.ts"
import { aroundDifference, lineDifference, sharedStart } from "./differenceOfText.ts"
import { joined, nameBeside } from "./leaves.ts"
import { isSameJson } from "./versions.ts"

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
      return valueDifferences(own(before, name), own(after, name), inner)
    })
  }
  if (depth < maxDepth && Array.isArray(before) && Array.isArray(after)) {
    return listDifferences(before, after, { path, field, depth })
  }
  return [{ path, field, before, after }]
}

/** A field that an object has itself. */
export const own = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

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

/** How one place changed, in words, and as a patch where it holds several lines. */
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
  const shown = maskSecrets(value, field)
  const text = JSON.stringify(shown)
  return text === undefined || text.length <= size ? shown : clipped(text, size)
}
