import { atOnce, type Sliced } from "./Sliced.ts"

/** Letters of scripts from Arabic to Burmese, Khmer and Mongolian: a joiner between them is part of how a word looks. */
const joined = "(?!\\p{Default_Ignorable_Code_Point})[\\u0600-\\u109F\\u1780-\\u18AF\\uFB50-\\uFDFF\\uFE70-\\uFEFC]"

const picture = "[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]"

/** Places in which such characters are part of what is seen: emoji of several, keycaps, joined letters, forms of a Han letter. */
const ordinary = [
  `${picture}\\uFE0F?\\u200D(?=\\p{Extended_Pictographic})`,
  `${picture}[\\uFE0E\\uFE0F]`,
  "[#*\\d]\\uFE0F(?=\\u20E3)",
  `${joined}[\\u200C\\u200D](?=${joined})`,
  "\\p{Script=Mongolian}[\\u180B-\\u180F]",
  "\\p{Script=Han}[\\uFE00-\\uFE02\\u{E0100}-\\u{E01EF}]"
].join("|")

/** Flags of England, Scotland and Wales are the only ones that are made of tags. */
const flag =
  "\\u{1F3F4}\\u{E0067}\\u{E0062}(?:\\u{E0065}\\u{E006E}\\u{E0067}|\\u{E0073}\\u{E0063}\\u{E0074}|\\u{E0077}\\u{E006C}\\u{E0073})\\u{E007F}"

/** Characters that nobody sees, or that move or turn what stands around them; line feeds and tabs apart. */
const unseen = "(?![\\n\\t])[\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2028\\u2029\\uFFF9-\\uFFFB\\p{Cs}]"

const hiding = new RegExp(`${flag}|${unseen}(?<!${ordinary})`, "gu")

const plain = /^[\n\t -~]*$/

/** Characters that hide something, of which one slice spells out so many: they take far longer than all others. */
const speltAtOnce = 20_000

/** The same as to replace what hides, with a stop after every so many of it. */
function* spelt(text: string, spell: (character: string) => string): Sliced<string> {
  if (plain.test(text)) return text
  const pieces: Array<string> = []
  let from = 0
  let left = speltAtOnce
  for (const { 0: match, index } of text.matchAll(hiding)) {
    if (match.length > 2) continue
    pieces.push(text.slice(from, index), spell(match))
    from = index + match.length
    if (--left > 0) continue
    yield speltAtOnce
    left = speltAtOnce
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(from)].join("")
}

/** A text from elsewhere with everything in it to be seen: `\u{202e}` in place of what hides or turns text. */
export const visible = (text: string): string =>
  atOnce(spelt(text.replaceAll("\r\n", "\n"), (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`))

/** JSON that says the same when it is parsed, with nothing in it that hides or turns text. */
export const visibleJson = (json: string): string => atOnce(visibleJsonSliced(json))

/** The same for texts of megabytes. */
export const visibleJsonSliced = (json: string): Sliced<string> =>
  spelt(json, (character) => {
    const escaped = escapedUnit(character.charCodeAt(0))
    return character.length === 1 ? escaped : escaped + escapedUnit(character.charCodeAt(1))
  })

const escapedUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`

/** A text from elsewhere on a single line. */
export const oneLine = (text: string): string =>
  visible(text.replaceAll(/\s+/g, (blanks) => (/[\t-\r\u2028\u2029]/.test(blanks) ? " " : blanks))).trim()

/** A name from elsewhere without quotation marks: what breaks lines is shown in it as such. */
export const nameText = (name: string): string =>
  visible(name.replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\r", "\\r"))

/** A name from elsewhere in quotation marks, which nothing in it can end. */
export const quotedName = (name: string): string => quotedText(clipped(name, longestName))

/** Characters of a name that are shown: one alone could take all the room. */
const longestName = 120

/** A name as it is among words of ours, unless it could be taken for more than a name. */
export const nameAmongWords = (name: string): string => {
  const short = clipped(name, longestName)
  return /[\n"[\]→·;]|: |:$|, |^ | $| \((?:MISSING|above|input \d+)\)/.test(short) ? quotedName(name) : nameText(short)
}

/** A text from elsewhere in quotation marks, on one line. */
export const quotedText = (text: string): string => visibleJson(JSON.stringify(text))

/** The lines of a text from elsewhere, each marked as quoted. */
export const quotedLines = (text: string): ReadonlyArray<string> =>
  text.split(/\r\n|[\n\u2028\u2029]/).map((line) => `> ${visible(line)}`)

/** At most this many characters of a text, and by how many it was cut: `abc…(+120)`; `more` of them are not in the text. */
export const clipped = (text: string, most: number, more = 0): string => {
  if (text.length <= most && more === 0) return text
  const kept = text.slice(0, most).replace(/[\uD800-\uDBFF\u200D]$/, "")
  return `${kept}…(+${text.length - kept.length + more})`
}

/** A text of which at most this many characters are kept, half of them from its end, and how many are left out between. */
export const abridged = (text: string, most: number): string => {
  if (text.length <= most) return text
  const head = text.slice(0, most / 2).replace(/[\uD800-\uDBFF\u200D]$/, "")
  const tail = text.slice(-most / 2).replace(/^[\uDC00-\uDFFF\u200D]/, "")
  return `${head}…(${text.length - head.length - tail.length} characters left out)…${tail}`
}

/** The first of these texts with commas between, and how many more there are: `a, b and 3 more`. */
export const listed = (texts: ReadonlyArray<string>, most: number): string =>
  texts.length <= most ? texts.join(", ") : `${texts.slice(0, most).join(", ")} and ${texts.length - most} more`
