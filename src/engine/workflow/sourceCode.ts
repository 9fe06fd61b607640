import { lazy } from "../../internal/caching.ts"

/** The language of code: it decides about the form of references, comments and texts. */
type Language = "javascript" | "python"

/** Says what a node is to be called from now on; `undefined` leaves the name as it is. */
export type Naming = (name: string) => string | undefined

/** Callbacks for the references in code, and for its plain texts. */
export interface Visit {
  readonly naming: Naming
  /** Sees every use of a variable of the engine, outside of comments: its name, or `undefined` where a run alone knows it. */
  readonly onVariable?: (name: string | undefined) => void
  /** Sees every text that stands by itself: no reference, no member, no field of an object. */
  readonly onText?: (text: string) => void
}

/** Code in which every reference to a node goes through `naming`: `$("A")`, `$node["A"]`, `$node.A`, `$items("A")`. */
export const renameInCode = (code: string, language: Language, visit: Visit): string =>
  mayRefer(code, visit) ? scan(code, 0, { ...dialects()[language], ...visit }).text : code

/** Most texts hold nothing like a reference. */
export const mayRefer = (text: string, { onText, onVariable }: Visit) =>
  onText !== undefined || (onVariable === undefined ? /[$_](?:\s*\(|node|items|getPairedItem)/ : /[$_]vars/).test(text)

interface Dialect {
  /** The beginning of a reference: `$` or `_`. */
  readonly reference: RegExp
  readonly member: RegExp
  /** The variables of the engine, with the name behind a dot or the bracket before it. */
  readonly variable: RegExp
  readonly comments: ReadonlyArray<readonly [opening: string, closing: string]>
  readonly quote: RegExp
  /** Whether a slash can begin a regular expression. */
  readonly hasRegExps: boolean
}

interface Reading extends Dialect, Visit {}

/** At the first look: to make expressions with Unicode classes takes longer than most calls. */
const dialects = lazy((): Readonly<Record<Language, Dialect>> => ({
  javascript: {
    reference: /\$(?:(?:items|getPairedItem)?\s*\(|node\s*(?:\?\.\s*)?\[)\s*/y,
    member: /\$node\s*(\?\.|\.)\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)/uy,
    variable:
      /\$vars(?![\p{ID_Continue}$])(?:\s*\??\.\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)|\s*(?:\?\.\s*)?\[\s*)?/uy,
    comments: [
      ["//", "\n"],
      ["/*", "*/"]
    ],
    quote: /["'`]/y,
    hasRegExps: true
  },
  python: {
    reference: /_(?:(?:items|getPairedItem)?\s*\(|node\s*\[)\s*/y,
    member: /_node\s*(\.)\s*([\p{ID_Start}_][\p{ID_Continue}]*)/uy,
    variable: /_vars(?!\p{ID_Continue})(?:\s*\.\s*([\p{ID_Start}_][\p{ID_Continue}]*)|\s*\[\s*)?/uy,
    comments: [["#", "\n"]],
    quote: /(?:[rbu]?f|f[rb]|[rbu]{1,2})?("""|'''|["'])/iy,
    hasRegExps: false
  }
}))

interface Scanned {
  readonly text: string
  /** Its end: at the bracket that closes a substitution, or that of the code. */
  readonly end: number
}

/** Reads code up to its end, or to the bracket that closes the substitution that it stands in. */
const scan = (code: string, from: number, reading: Reading, level = 0): Scanned => {
  let text = ""
  let at = from
  let depth = 0
  const take = (length: number, instead = code.slice(at, at + length)) => {
    text += instead
    at += length
  }
  while (at < code.length) {
    const character = code.charAt(at)
    if (level > 0 && character === "}" && depth === 0) return { text, end: at }
    const comment = commentAt(code, at, reading)
    const referenceHere = comment === undefined && isFree(code, at) ? reference(code, at, reading) : undefined
    if (comment === undefined) seeVariable(code, at, reading)
    const quoted = comment === undefined && referenceHere === undefined ? literal(code, at, reading, level) : undefined
    if (comment !== undefined) take(comment.length, renameInComment(comment, reading))
    else if (referenceHere !== undefined) take(referenceHere.length, referenceHere.text)
    else if (quoted !== undefined) take(quoted.length, quoted.text)
    else {
      if (character === "{") depth += 1
      if (character === "}") depth -= 1
      take(1)
    }
  }
  return { text, end: at }
}

/** A comment up to its end, or to that of the code; the line feed behind it is none of it. */
const commentAt = (code: string, at: number, { comments }: Reading): string | undefined => {
  const [opening, closing] = comments.find(([opening]) => code.startsWith(opening, at)) ?? []
  if (opening === undefined || closing === undefined) return undefined
  const end = code.indexOf(closing, at + opening.length)
  return code.slice(at, end < 0 ? code.length : closing === "\n" ? end : end + closing.length)
}

/** Code that was commented out still names nodes; its texts need not be closed. */
const renameInComment = (comment: string, reading: Reading): string => {
  let text = ""
  for (let at = 0; at < comment.length;) {
    const referenceHere = isFree(comment, at) ? reference(comment, at, reading) : undefined
    text += referenceHere?.text ?? comment.charAt(at)
    at += referenceHere?.length ?? 1
  }
  return text
}

interface Piece {
  /** Characters that it takes in the code as it was. */
  readonly length: number
  readonly text: string
}

const matched = (pattern: RegExp, code: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(code)?.[0]
}

/** Whether a name can begin here: not inside another one, nor as a member of something else. */
const isFree = (code: string, at: number): boolean => {
  if (!/[$_]/.test(code.charAt(at))) return false
  const before = code.slice(Math.max(0, at - 3), at)
  if (/[\p{ID_Continue}$]$/u.test(before)) return false
  return !before.endsWith(".") || before === "..." || /^[$_]node\b/.test(code.slice(at, at + 6))
}

const reference = (code: string, at: number, { member, naming, reference: opening }: Reading): Piece | undefined => {
  const opened = matched(opening, code, at)
  if (opened !== undefined) {
    const name = plainText(code, at + opened.length)
    if (name === undefined || !/^\s*[),\]]/.test(code.slice(at + opened.length + name.length))) return undefined
    const length = opened.length + name.length
    const renamed = naming(name.value)
    const text = renamed === undefined ? code.slice(at, at + length) : opened + quotedAs(name.quote, renamed)
    return { length, text }
  }
  member.lastIndex = at
  const [whole, access = "", name = ""] = member.exec(code) ?? []
  if (whole === undefined) return undefined
  const renamed = naming(name)
  if (renamed === undefined) return { length: whole.length, text: whole }
  const before = whole.slice(0, whole.lastIndexOf(access))
  const chained = access === "?." ? access : ""
  return {
    length: whole.length,
    text: isIdentifier(renamed) ? `${before}${access}${renamed}` : `${before}${chained}[${quotedAs('"', renamed)}]`
  }
}

/** Passes a variable of the engine to `onVariable`. */
const seeVariable = (code: string, at: number, { onVariable, variable }: Reading): void => {
  if (onVariable === undefined || !isFree(code, at)) return
  variable.lastIndex = at
  const [whole, member] = variable.exec(code) ?? []
  if (whole === undefined) return
  // A method sees all variables.
  if (member !== undefined && /^\s*(?:\?\.\s*)?\(/.test(code.slice(at + whole.length, at + whole.length + 40)))
    return onVariable(undefined)
  const text = member === undefined ? plainText(code, at + whole.length) : undefined
  const isAlone = text !== undefined && /^\s*\]/.test(code.slice(at + whole.length + text.length))
  onVariable(isAlone && whole.trimEnd().endsWith("[") ? text.value : member)
}

/** Whether a name can stand behind a dot. */
const isIdentifier = (name: string) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)

interface PlainText {
  readonly length: number
  readonly quote: string
  readonly value: string
}

/** Characters of a text that may be the name of a node; more are not looked through for its end. */
const maxText = 2000

/** A text without substitutions. */
const plainText = (code: string, at: number): PlainText | undefined => {
  const quote = code.charAt(at)
  if (quote !== '"' && quote !== "'" && quote !== "`") return undefined
  for (let end = at + 1; end < code.length && end - at <= maxText; end++) {
    const character = code.charAt(end)
    if (character === "\\") end += 1
    else if (quote === "`" && character === "$" && code.charAt(end + 1) === "{") return undefined
    else if (character === quote) {
      return { length: end + 1 - at, quote, value: unescaped(code.slice(at + 1, end)) }
    }
  }
  return undefined
}

const controls: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", "0": "\0" }

const unescaped = (body: string): string =>
  body.replace(/\\(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|(\r\n|[^]))/g, (_, ...groups) => {
    const [long, short, byte, other]: ReadonlyArray<unknown> = groups
    const point = [long, short, byte].find((digits) => typeof digits === "string")
    if (typeof point === "string") return characterAt(Number.parseInt(point, 16))
    const letter = String(other)
    return /^(?:\r\n|[\n\r])$/.test(letter) ? "" : (controls[letter] ?? letter)
  })

const characterAt = (point: number) => (point <= 0x10ffff ? String.fromCodePoint(point) : "\uFFFD")

/** A text in these quotes. */
const quotedAs = (quote: string, value: string): string => {
  const body = value
    .replaceAll("\\", "\\\\")
    .replaceAll(quote, `\\${quote}`)
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
  return quote + (quote === "`" ? body.replaceAll("${", "\\${") : body) + quote
}

/** Nobody puts texts into each other more often. */
const maxLevels = 50

/** A text, whose substitutions are code again, or a regular expression. */
const literal = (code: string, at: number, reading: Reading, level: number): Piece | undefined => {
  reading.quote.lastIndex = at
  const [opening, named] = reading.quote.exec(code) ?? []
  if (opening === undefined) return reading.hasRegExps ? regExp(code, at) : undefined
  if (named !== undefined && opening !== named && /[\p{ID_Continue}]/u.test(code.charAt(at - 1))) return undefined
  const quote = named ?? opening
  seeText(code, at, opening, reading)
  const substitution = quote === "`" ? "${" : /f/i.test(opening.slice(0, -quote.length)) ? "{" : undefined
  let text = opening
  let place = at + opening.length
  while (place < code.length && !code.startsWith(quote, place)) {
    if (code.charAt(place) === "\\") {
      text += code.slice(place, place + 2)
      place += 2
    } else if (substitution === "{" && code.startsWith("{{", place)) {
      text += "{{"
      place += 2
    } else if (substitution !== undefined && level < maxLevels && code.startsWith(substitution, place)) {
      const inside = scan(code, place + substitution.length, reading, level + 1)
      text += substitution + inside.text
      place = inside.end
    } else if (quote.length === 1 && quote !== "`" && code.charAt(place) === "\n") {
      // Nobody closed it: what follows is read as code again.
      return { length: place - at, text }
    } else {
      text += code.charAt(place)
      place += 1
    }
  }
  return { length: place - at + quote.length, text: text + code.slice(place, place + quote.length) }
}

/** Passes a plain text to `onText`; names of members and of fields are none. */
const seeText = (code: string, at: number, opening: string, { onText }: Reading): void => {
  if (onText === undefined) return
  const plain = plainText(code, at + opening.length - 1)
  if (plain === undefined) return
  const before = code.slice(Math.max(0, at - 40), at).trimEnd()
  const isMember = /[\p{ID_Continue}$)\]]\s*(?:\?\.)?\[$/u.test(before)
  const isField = /[{,]$/.test(before) && /^\s*:/.test(code.slice(at + opening.length - 1 + plain.length, at + 200))
  if (!isMember && !isField) onText(plain.value)
}

/** A slash begins a regular expression where no value stands before it. */
const regExp = (code: string, at: number): Piece | undefined => {
  if (code.charAt(at) !== "/" || code.charAt(at + 1) === "*") return undefined
  const before = code.slice(Math.max(0, at - 40), at).trimEnd()
  const isDivision = /[\p{ID_Continue}$)\]}"'`]$/u.test(before) && !/\b(?:return|typeof|case|in|of)$/.test(before)
  const end = isDivision ? undefined : endOfRegExp(code, at)
  return end === undefined ? undefined : { length: end - at, text: code.slice(at, end) }
}

/** Characters of a regular expression; what goes on longer is none. */
const maxRegExp = 1000

/** The end of a regular expression that begins with the slash at this place; its classes may hold slashes. */
const endOfRegExp = (code: string, at: number): number | undefined => {
  let isInClass = false
  for (let end = at + 1; end < code.length && end - at <= maxRegExp; end++) {
    const character = code.charAt(end)
    if (character === "\n") return undefined
    if (character === "\\") end += 1
    else if (character === "[") isInClass = true
    else if (character === "]") isInClass = false
    else if (character === "/" && !isInClass) return end + 1
  }
  return undefined
}
