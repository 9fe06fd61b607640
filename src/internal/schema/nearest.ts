/** The known name closest to what was written, if it is close enough to be meant. */
export const nearest = (written: string, names: ReadonlyArray<string>): string | undefined => {
  const ranked = names
    .map((name) => ({ name, distance: distance(written.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best !== undefined && best.distance <= Math.max(2, Math.floor(best.name.length / 3)) ? best.name : undefined
}

/** Names beyond so many characters are not compared. */
const longest = 64

/** Levenshtein distance. */
export const distance = (a: string, b: string): number => {
  if (a.length > longest || b.length > 2 * longest) return Infinity
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, left] of Array.from(a).entries()) {
    const next = [i + 1]
    for (const [j, right] of Array.from(b).entries()) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (left === right ? 0 : 1)))
    }
    row = next
  }
  return row[b.length] ?? Infinity
}

/** Similar known names: those that contain what was written come before those that are spelt like it. */
export const alike = (written: string, names: ReadonlyArray<string>, most: number): ReadonlyArray<string> => {
  const sought = written.toLowerCase()
  const ranked = names.map((name) => {
    const lower = name.toLowerCase()
    const holds = sought.length >= 3 && lower.includes(sought)
    const off = distance(sought, lower)
    return { name, isAlike: holds || off <= Math.max(2, Math.floor(name.length / 3)), rank: holds ? 0 : 1, off }
  })
  return ranked
    .filter(({ isAlike }) => isAlike)
    .sort((a, b) => a.rank - b.rank || a.off - b.off)
    .slice(0, most)
    .map(({ name }) => name)
}
