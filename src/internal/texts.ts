/** Characters by which a workflow may grow where texts in it are replaced: a few words could fill the memory else. */
export const mostAdded = 1_000_000

/** The room for what replacements add to the texts of one thing. */
export class Growth {
  private left = mostAdded

  /** Whether there was room for so many more characters; once there was not, there is none. */
  take(added: number): boolean {
    this.left -= added
    if (this.left < 0) this.left = -Infinity
    return this.left >= 0
  }

  get isExceeded(): boolean {
    return this.left < 0
  }
}

/** The reason why texts are not replaced in something. */
export const wouldGrow = `it would grow by more than ${mostAdded} characters`

/**
 * Replaces every one of these texts by its other, the longest where several begin at a place. Reads each place once and
 * compares it only with texts that begin alike, however many there are. Where there is no more room to grow, texts stay as they are.
 */
export const replaceTexts = (others: ReadonlyMap<string, string>, growth?: Growth): ((text: string) => string) => {
  const texts = [...others.keys()].filter((text) => text !== "").toSorted((a, b) => b.length - a.length)
  const [first, ...more] = texts
  if (first === undefined) return (text) => text
  if (more.length === 0) {
    const other = others.get(first) ?? first
    return (text) => {
      const added = (text.split(first).length - 1) * (other.length - first.length)
      return growth?.take(added) === false ? text : text.replaceAll(first, () => other)
    }
  }
  const start = Math.min(texts.at(-1)?.length ?? 1, maxStart)
  const alike = new Map<string, Array<string>>()
  for (const text of texts) {
    const group = alike.get(text.slice(0, start))
    if (group === undefined) alike.set(text.slice(0, start), [text])
    else group.push(text)
  }
  return (text) => {
    const pieces: Array<string> = []
    let from = 0
    for (let at = 0; at + start <= text.length; at++) {
      const match = alike.get(text.slice(at, at + start))?.find((one) => text.startsWith(one, at))
      if (match === undefined) continue
      const other = others.get(match) ?? match
      if (growth?.take(other.length - match.length) === false) return text
      pieces.push(text.slice(from, at), other)
      from = at + match.length
      at = from - 1
    }
    return from === 0 ? text : [...pieces, text.slice(from)].join("")
  }
}

/** Characters by which texts are looked up. */
const maxStart = 8

/** A text without the same character at its end; an expression such as `/-+$/` takes the square of the time. */
export const withoutEnd = (text: string, character: string): string => {
  let end = text.length
  while (end > 0 && text.charAt(end - 1) === character) end -= 1
  return text.slice(0, end)
}

/** A text without the same character at its beginning and its end. */
export const withoutEnds = (text: string, character: string): string => {
  const rest = withoutEnd(text, character)
  let start = 0
  while (rest.charAt(start) === character) start += 1
  return rest.slice(start)
}

/** The known name closest to what was written, if it is close enough to be meant. */
export const nearest = (written: string, names: ReadonlyArray<string>): string | undefined => {
  const sought = written.toLowerCase()
  let best: string | undefined
  let least = Infinity
  for (const name of names) {
    const most = mostOff(name)
    // Each missing or added character is one change.
    if (sought.length > longest || Math.abs(name.length - sought.length) > most) continue
    const off = distance(sought, name.toLowerCase())
    if (off <= most && off < least) [best, least] = [name, off]
  }
  return best
}

/** A name that is not among those that there are, in words: with the nearest of them. */
export const unknownArgument = (name: string, names: ReadonlyArray<string>) => {
  const guess = nearest(name, names)
  return guess === undefined
    ? `unknown argument. Known: ${names.join(", ")}`
    : `unknown argument. Did you mean ${guess}?`
}

/** Changes of characters by which a name may differ from what was written in its place. */
const mostOff = (name: string): number => Math.max(2, Math.floor(name.length / 3))

/** Names beyond so many characters are not compared. */
const longest = 64

/** Levenshtein distance. */
export const distance = (a: string, b: string): number => {
  if (a.length > longest || b.length > 2 * longest) return Infinity
  const [lefts, rights] = [Array.from(a), Array.from(b)]
  let row = Uint8Array.from({ length: rights.length + 1 }, (_, index) => index)
  let next = new Uint8Array(rights.length + 1)
  for (const [i, left] of lefts.entries()) {
    next[0] = i + 1
    for (let j = 0; j < rights.length; j++) {
      const same = left === rights[j] ? 0 : 1
      next[j + 1] = Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + same)
    }
    ;[row, next] = [next, row]
  }
  return row[rights.length] ?? Infinity
}

/** Similar known names: those that contain what was written come before those that are spelt like it. */
export const alike = (written: string, names: ReadonlyArray<string>, most: number): ReadonlyArray<string> => {
  const sought = written.toLowerCase()
  const ranked = names.map((name) => {
    const lower = name.toLowerCase()
    const holds = sought.length >= 3 && lower.includes(sought)
    const off = distance(sought, lower)
    return { name, isAlike: holds || off <= mostOff(name), rank: holds ? 0 : 1, off }
  })
  return ranked
    .filter(({ isAlike }) => isAlike)
    .sort((a, b) => a.rank - b.rank || a.off - b.off)
    .slice(0, most)
    .map(({ name }) => name)
}

/** The words of a list that is written as a text. */
export const wordsIn = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

/** The same words, for asking whether one is among them. */
export const wordSet = (text: string): ReadonlySet<string> => new Set(wordsIn(text))
