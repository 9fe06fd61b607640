import { Option, Predicate } from "effect"

import { isJsonObject } from "../schema/JsonObject.ts"

/** Number of the first rows that fit into this many bytes of JSON; at least one. */
export const fitting = (rows: ReadonlyArray<unknown>, bytes: number): number => {
  let left = bytes
  const tooMuch = rows.findIndex((row) => {
    left -= jsonBytes(row) + 1
    return left < 0
  })
  return tooMuch === -1 ? rows.length : Math.max(1, tooMuch)
}

/** The first rows that fit into this many bytes of JSON; at least one. */
export const fitted = <A>(rows: ReadonlyArray<A>, bytes: number): ReadonlyArray<A> =>
  rows.slice(0, fitting(rows, bytes))

const encoder = new TextEncoder()

/** Bytes of a value as JSON; 0 for values that JSON cannot express. */
export const jsonBytes = (value: unknown): number => encoder.encode(JSON.stringify(value) ?? "").length

/** Parses a text as JSON; none if it is not JSON. */
export const parseJson = /* @__PURE__ */ Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** Whether a text stands anywhere in a value, names of fields among them. */
export const holdsText = (value: unknown, text: string): boolean => {
  if (Predicate.isString(value)) return value.includes(text)
  if (Array.isArray(value)) return value.some((item: unknown) => holdsText(item, text))
  return (
    Predicate.isObject(value) &&
    Object.entries(value).some(([name, item]) => name.includes(text) || holdsText(item, text))
  )
}

/** The same JSON value, deeply frozen. */
export const frozen = <A>(value: A): A => {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) frozen(inner)
    Object.freeze(value)
  }
  return value
}

/** Maximum nesting of accepted JSON. */
const deepest = 200

/** The findings about a JSON text before it is parsed, from one pass that allocates no objects. */
interface Inspection {
  /** The reason for its refusal, if it is refused. */
  readonly problem: string | undefined
  /** The text of `id` in the outermost object, so that a refusal can refer to the request. */
  readonly id: string | undefined
}

/** More names and items than any message has in its outermost levels, which contain only names of params and arguments. */
const mostMembers = 10_000
const outermost = 3

/** Characters of an id that is read before the text is parsed. */
const longestId = 1000

const wholeNumber = /^-?\d{1,20}$/
const protoName = /^(?:_|\\u005[fF]){2}(?:[proto]|\\u00[0-9a-fA-F]{2}){5}(?:_|\\u005[fF]){2}$/

/** Checks a text for what makes it dangerous or slow to parse; whether it is valid JSON is left to the parser. */
export const inspectJson = (text: string): Inspection => {
  let depth = 0
  let members = 0
  let problem: string | undefined
  let id: string | undefined
  const widest = text.trimStart().startsWith("[") ? outermost + 1 : outermost
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      const end = endOfString(text, at)
      if (mayBeOfInterest(text, at, end, depth)) {
        const content = text.slice(at + 1, end)
        if (id === undefined && depth === 1 && content === "id") id = valueBehind(text, end + 1)
        else if (isProto(content) && isName(text, end + 1)) problem ??= "no field may be named __proto__"
      }
      at = end
    } else if (character === "," && depth <= widest && ++members > mostMembers) {
      problem ??= `more than ${mostMembers} fields`
    } else if (character === "[" || character === "{") {
      if (++depth > deepest) problem ??= `nested deeper than ${deepest} levels`
    } else if (character === "]" || character === "}") depth--
  }
  return { problem, id }
}

const longestProto = 9 * "\\u005f".length

const mayBeOfInterest = (text: string, start: number, end: number, depth: number) => {
  const length = end - start - 1
  return (depth === 1 && length === 2) || (length >= 9 && length <= longestProto && /[_\\]/.test(text[start + 1] ?? ""))
}

const isProto = (content: string) =>
  content === "__proto__" || (protoName.test(content) && JSON.parse(`"${content}"`) === "__proto__")

/** The place of the next character that is no blank. */
const behindBlanks = (text: string, from: number): number => {
  let at = from
  while (/\s/.test(text[at] ?? "")) at++
  return at
}

const isName = (text: string, behind: number) => text[behindBlanks(text, behind)] === ":"

const valueBehind = (text: string, behind: number): string | undefined => {
  const colon = behindBlanks(text, behind)
  if (text[colon] !== ":") return undefined
  const start = behindBlanks(text, colon + 1)
  const isText = text[start] === '"'
  const end = isText
    ? endOfString(text, start) + 1
    : start + (/^[-\d]{0,21}/.exec(text.slice(start, start + 21))?.[0].length ?? 0)
  const next = text[behindBlanks(text, end)]
  const value = text.slice(start, end)
  if (end - start > longestId + 2 || (next !== "," && next !== "}")) return undefined
  return isText || wholeNumber.test(value) ? value : undefined
}

const endOfString = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

const isEscaped = (text: string, at: number): boolean => {
  let slashes = 0
  while (text[at - 1 - slashes] === "\\") slashes++
  return slashes % 2 === 1
}

/** Characters of texts, and what any other value counts as, that take as long to work on as a node of a workflow does. */
const charactersOfWeight = 1000
const ofValue = 40

const charactersOf = (value: unknown): number => {
  if (Predicate.isString(value)) return ofValue + value.length
  if (!Predicate.isObjectOrArray(value)) return ofValue
  let sum = ofValue
  for (const item of Object.values(value)) sum += charactersOf(item)
  return sum
}

/** The weight of a JSON value in slices of work: about 1 for a node of a workflow. */
export const weightOfJson = (value: unknown): number => charactersOf(value) / charactersOfWeight

/** Characters of a text, and longestList of a list, that anything said in few words can depend on. */
const longestText = 4000
const longestList = 50

/** A value of any size with only the beginnings of its texts and lists, which are as long as they were; itself where it is small. */
export const beginningOf = (value: unknown): unknown => {
  if (Predicate.isString(value)) return value.length > longestText ? value.slice(0, longestText) : value
  if (Array.isArray(value)) {
    const begun = value.map((item: unknown, at) => (at < longestList ? beginningOf(item) : emptied(item)))
    return begun.some((item, at) => item !== value[at]) ? begun : value
  }
  if (!isJsonObject(value)) return value
  const fields = Object.entries(value).map(([name, item]) => [name, beginningOf(item)] as const)
  return fields.some(([name, item]) => item !== value[name]) ? Object.fromEntries(fields) : value
}

const emptied = (item: unknown): unknown => (Predicate.isString(item) ? "" : isJsonObject(item) ? {} : null)
