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

/** Said of something in which texts are not replaced for that. */
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
