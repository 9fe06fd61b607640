import { Predicate } from "effect"
import { Base64, Base64Url } from "effect/encoding"

/** Takes secrets out of what is shown; anything nested deeper than `maxDepth` is left out as well. */
export interface Redactor {
  readonly text: (text: string) => string
  /** Of a decoded value: its texts, its numbers and the names of its fields. */
  readonly value: (value: unknown) => unknown
}

const mark = "[redacted]"
const maxDepth = 100

/** Characters by which a part of a secret is known: fewer would be found in other words, or are what all keys begin with. */
const leastPart = 16

/** Secrets that are looked for, and all their characters: where a caller sent more, nothing is shown that may hold one. */
const mostSecrets = 100
const mostCharacters = 50_000

/** Layers of escapes that are taken off a text, one after the other, to look at it again. */
const layers = 3

/**
 * Finds every secret in a text, whatever it is wrapped in: as it is in any letter case, as Base64 alone or inside
 * another text, and behind JSON escapes, percent signs and HTML entities, also several layers of them. Of a long one, its first
 * or last characters are found alone, unless `parts` is false: logs and error texts cut, data does not. Secrets of fewer than four characters stay.
 */
export const redactor = (
  secrets: ReadonlyArray<string>,
  { parts = true }: { readonly parts?: boolean } = {}
): Redactor => {
  const sought = [...new Set(secrets.filter(({ length }) => length >= 4))]
  const characters = sought.reduce((sum, { length }) => sum + length, 0)
  if (sought.length > mostSecrets || characters > mostCharacters) return { text: () => mark, value: () => mark }
  const needles = [...new Set(sought.flatMap(formsOf))]
  const shortest = Math.min(leastPart, ...needles.map(({ length }) => length))

  const text = (text: string) => {
    // A character is at most three bytes of a needle.
    if (text.length * 3 < shortest) return text
    const hits: Array<Range> = []
    let view: View | undefined = plain(text)
    for (let layer = 0; view !== undefined && layer <= layers; layer++) {
      for (const needle of needles) {
        collect(view, needle, hits)
        if (parts && needle.length > leastPart) collectParts(view, needle, hits)
      }
      view = unescaped(view)
    }
    return without(text, hits)
  }

  const value = (given: unknown, depth = 0): unknown => {
    if (depth > maxDepth) return "[left out: nested too deeply]"
    if (Predicate.isString(given)) return text(given)
    if (Predicate.isNumber(given)) return text(`${given}`) === `${given}` ? given : mark
    if (Array.isArray(given)) return given.map((item: unknown) => value(item, depth + 1))
    if (!Predicate.isObject(given)) return given
    return Object.fromEntries(Object.entries(given).map(([name, item]) => [text(name), value(item, depth + 1)]))
  }

  return { text, value: (given) => value(given) }
}

/** Replaces every secret in a text. */
export const redact = (text: string, secrets: ReadonlyArray<string>): string => redactor(secrets).text(text)

/** A stretch of the shown text: its first character, and the one behind it. */
type Range = readonly [from: number, to: number]

/** UTF-8 bytes in small letters, one character each, and where in the shown text each of them stands. */
interface View {
  readonly bytes: string
  readonly places: ReadonlyArray<Range>
}

const encoder = new TextEncoder()
const bytesOf = (text: string): string => {
  let bytes = ""
  for (const byte of encoder.encode(text)) bytes += String.fromCharCode(byte)
  return bytes
}

const plain = (text: string): View => {
  const places: Array<Range> = []
  let bytes = ""
  let at = 0
  for (const char of text) {
    const encoded = bytesOf(char)
    for (const _ of encoded) places.push([at, at + char.length])
    bytes += encoded
    at += char.length
  }
  return { bytes: bytes.toLowerCase(), places }
}

const escape =
  /(\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\u[0-9a-f]{4})|\\(["'\\/bfnrt])|%([0-9a-f]{2})|&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|quot|apos|lt|gt));?/g
const controls: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }
const entities: Readonly<Record<string, string>> = { amp: "&", quot: '"', apos: "'", lt: "<", gt: ">" }

/** The same with one layer of escapes taken off; nothing where there is none. */
const unescaped = ({ bytes, places }: View): View | undefined => {
  const ranges: Array<Range> = []
  let out = ""
  let rest = 0
  const keep = (until: number) => {
    out += bytes.slice(rest, until)
    for (let at = rest; at < until; at++) ranges.push(places[at] ?? [0, 0])
  }
  for (const match of bytes.matchAll(escape)) {
    keep(match.index)
    let at = match.index
    for (const { length, means } of meaningsOf(match)) {
      const place: Range = [places[at]?.[0] ?? 0, places[at + length - 1]?.[1] ?? 0]
      for (const _ of means) ranges.push(place)
      out += means
      at += length
    }
    rest = match.index + match[0].length
  }
  if (rest === 0) return undefined
  keep(bytes.length)
  return { bytes: out.toLowerCase(), places: ranges }
}

/** The bytes that the parts of an escape stand for, and the length of each part. */
const meaningsOf = (match: RegExpExecArray) => {
  const [whole, units, short, percent, decimal, hex, entity] = match
  if (units !== undefined) {
    const text = String.fromCharCode(...[...units.matchAll(/[0-9a-f]{4}/g)].map(([unit]) => Number.parseInt(unit, 16)))
    return Array.from(text, (char) => ({ length: char.length * 6, means: bytesOf(char) }))
  }
  const { length } = whole
  if (short !== undefined) return [{ length, means: controls[short] ?? short }]
  if (percent !== undefined) return [{ length, means: String.fromCharCode(Number.parseInt(percent, 16)) }]
  if (entity !== undefined) return [{ length, means: entities[entity] ?? "" }]
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  return [{ length, means: point > 0x10_ff_ff ? "" : bytesOf(String.fromCodePoint(point)) }]
}

/** The bytes in which a secret may stand in a text; its escaped forms too, as a text before them may begin an escape. */
const formsOf = (secret: string): ReadonlyArray<string> => {
  const encoded = [Base64.encode(secret), Base64Url.encode(secret), ...inside(secret)]
  const escaped = [JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]
  const texts = [secret, secret.replaceAll(" ", "+"), ...escaped]
  return [...texts.map(bytesOf), ...encoded].map((form) => form.toLowerCase())
}

/** The Base64 of a secret inside a longer text, whatever stands around it; too little to tell is left out. */
const inside = (secret: string): ReadonlyArray<string> => {
  const bytes = encoder.encode(secret)
  return [0, 1, 2]
    .flatMap((before) => {
      const padded = new Uint8Array(before + bytes.length)
      padded.set(bytes, before)
      const from = Math.ceil((before * 4) / 3)
      const to = Math.floor((padded.length * 8) / 6)
      return [Base64.encode(padded).slice(from, to), Base64Url.encode(padded).slice(from, to)]
    })
    .filter(({ length }) => length >= 8)
}

const collect = ({ bytes, places }: View, needle: string, hits: Array<Range>) => {
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) {
    hits.push([places[at]?.[0] ?? 0, places[at + needle.length - 1]?.[1] ?? 0])
  }
}

/** Collects the places that hold the beginning or the end of a secret: as much of it as is there. */
const collectParts = ({ bytes, places }: View, needle: string, hits: Array<Range>) => {
  const [first, last] = [needle.slice(0, leastPart), needle.slice(-leastPart)]
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let end = at + leastPart
    while (end - at < needle.length && bytes[end] === needle[end - at]) end++
    hits.push([places[at]?.[0] ?? 0, places[end - 1]?.[1] ?? 0])
    at = end - 1
  }
  for (let at = bytes.indexOf(last); at >= 0; at = bytes.indexOf(last, at + leastPart)) {
    const end = at + leastPart
    let from = at
    while (end - from < needle.length && bytes[from - 1] === needle[needle.length - (end - from) - 1]) from--
    hits.push([places[from]?.[0] ?? 0, places[end - 1]?.[1] ?? 0])
  }
}

const without = (text: string, hits: ReadonlyArray<Range>): string => {
  let out = ""
  let rest = 0
  for (const [from, to] of hits.toSorted((a, b) => a[0] - b[0] || b[1] - a[1])) {
    if (to <= rest) continue
    if (from >= rest) out += text.slice(rest, from) + mark
    rest = to
  }
  return out + text.slice(rest)
}
