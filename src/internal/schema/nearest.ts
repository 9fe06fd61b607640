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
