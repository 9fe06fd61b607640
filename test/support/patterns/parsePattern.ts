/** A regular expression as a tree; `chars` tells for every character of the sample whether it is meant. */
export type Part =
  | { readonly _tag: "chars"; readonly chars: ReadonlyArray<boolean> }
  | { readonly _tag: "choice"; readonly of: ReadonlyArray<Part> }
  | { readonly _tag: "sequence"; readonly of: ReadonlyArray<Part> }
  | { readonly _tag: "repeat"; readonly of: Part; readonly min: number; readonly max: number }
  | { readonly _tag: "look"; readonly of: Part; readonly isBehind: boolean }
  | { readonly _tag: "assertion"; readonly of: "text" | "line" | "other" }
  | { readonly _tag: "reference" }

/** Characters of every kind that our expressions tell apart. */
const codes = [
  0x85, 0xa0, 0xe9, 0xdf, 0x130, 0x17f, 0x212a, 0x301, 0x431, 0x411, 0x61c, 0x200b, 0x200e, 0x2028, 0x202e, 0x2060,
  0x3042, 0xfeff, 0xfffd, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0x1f600, 0xe0041
]
const sample = [...Array.from({ length: 128 }, (_, code) => code), ...codes].map((code) => String.fromCodePoint(code))

/** The ends of lines. */
export const lineEnds: ReadonlyArray<boolean> = sample.map((character) => /[\n\r\u2028\u2029]/.test(character))

export const everything: Part & { readonly _tag: "chars" } = { _tag: "chars", chars: sample.map(() => true) }

/** Reads the syntax of regular expressions, as far as a program that runs may hold it. */
export const parsePattern = (source: string, flags: string): Part => {
  let at = 0
  const matching = flags.replace(/[gymd]/g, "")
  const chars = (written: string): Part => {
    const one = new RegExp(`^(?:${written})$`, matching)
    return { _tag: "chars", chars: sample.map((character) => one.test(character)) }
  }
  const take = (text: string): boolean => {
    const isThere = source.startsWith(text, at)
    if (isThere) at += text.length
    return isThere
  }
  const matched = (pattern: RegExp): string | undefined => {
    const [whole] = pattern.exec(source.slice(at)) ?? []
    if (whole !== undefined) at += whole.length
    return whole
  }

  const choice = (): Part => {
    const of = [sequence()]
    while (take("|")) of.push(sequence())
    return of.length === 1 && of[0] !== undefined ? of[0] : { _tag: "choice", of }
  }
  const sequence = (): Part => {
    const of: Array<Part> = []
    while (at < source.length && source[at] !== "|" && source[at] !== ")") of.push(repeated(atom()))
    return { _tag: "sequence", of }
  }
  const repeated = (of: Part): Part => {
    const [, sign, min, comma, max] = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at)) ?? []
    if (matched(/^(?:[*+?]|\{\d+,?\d*\})\??/) === undefined) return of
    if (sign !== undefined) return { _tag: "repeat", of, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity }
    return {
      _tag: "repeat",
      of,
      min: Number(min),
      max: comma === "" ? Number(min) : max === "" ? Infinity : Number(max)
    }
  }
  const closed = (part: Part): Part => {
    if (!take(")")) throw new Error(`unclosed group in ${source}`)
    return part
  }
  const atom = (): Part => {
    for (const opening of ["(?=", "(?!"])
      if (take(opening)) return closed({ _tag: "look", of: choice(), isBehind: false })
    for (const opening of ["(?<=", "(?<!"])
      if (take(opening)) return closed({ _tag: "look", of: choice(), isBehind: true })
    if (matched(/^\((?:\?:|\?<\w+>)?/) !== undefined) return closed(choice())
    if (take("^")) return { _tag: "assertion", of: flags.includes("m") ? "line" : "text" }
    if (take("$") || take("\\b") || take("\\B")) return { _tag: "assertion", of: "other" }
    if (matched(/^\\(?:[1-9]|k<)/) !== undefined) return { _tag: "reference" }
    const written = matched(
      /^(?:\[(?:\\[^]|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|[^])|[^])/i
    )
    if (written === undefined) throw new Error(`cannot read ${source} at ${at}`)
    return written === "[^]" ? everything : chars(written)
  }

  const whole = choice()
  if (at < source.length) throw new Error(`cannot read ${source} at ${at}`)
  return whole
}
