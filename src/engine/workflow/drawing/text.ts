import { lazy } from "../../../internal/caching.ts"
import { oneLine } from "../../../internal/foreignText.ts"

/** The estimated width of a character, as a part of the font's size. */
const widthOf = (char: string): number => {
  if (/[ijl.,:;'|!()[\]tfI ]/.test(char)) return 0.31
  if (/[mwMW@%…—]/.test(char)) return 0.88
  if (/[A-Z0-9_#&$]/.test(char)) return 0.64
  return (char.codePointAt(0) ?? 0) < 0x1100 ? 0.55 : 1.05
}

/** Nothing that would turn the direction of what stands around it, break a line, or be no character at all. */
export const plain = (text: string): string => oneLine(text).replaceAll(/[\ufffe\uffff]/g, "")

/** At the first look: Node takes some milliseconds to make one. */
const segmenter = lazy(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }))

/** The graphemes of a text, such as an emoji of several code points. */
const charsOf = (text: string): Array<string> => Array.from(segmenter().segment(text), ({ segment }) => segment)

/** As much of a text as fits into a width, with a mark where something is left out. */
export const fit = (text: string, width: number, size: number): string => {
  let used = 0
  let kept = ""
  for (const char of charsOf(text)) {
    used += widthOf(char) * size
    if (used > width) return `${cut(kept, size)}…`
    kept += char
  }
  return kept
}

/** Room for the mark itself. */
const cut = (text: string, size: number): string => {
  let room = 0.88 * size
  const chars = charsOf(text)
  while (room > 0 && chars.length > 0) room -= widthOf(chars.pop() ?? "") * size
  return chars.join("").trimEnd()
}

/** A text in lines of a width, broken between words; the last line says where something is left out. */
export const wrap = (text: string, width: number, size: number, most: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  const words = text.split(" ")
  for (const [at, word] of words.entries()) {
    if (lines.length === most - 1) {
      return [...lines, fit([line, ...words.slice(at)].filter((one) => one !== "").join(" "), width, size)]
    }
    const longer = line === "" ? word : `${line} ${word}`
    if (line !== "" && fit(longer, width, size) !== longer) {
      lines.push(fit(line, width, size))
      line = word
    } else line = longer
  }
  return line === "" ? lines : [...lines, fit(line, width, size)]
}

/** A coordinate or a length as drawings have it: to a tenth. */
export const round = (value: number): number => Math.round(value * 10) / 10
