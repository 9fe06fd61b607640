import { clipped } from "../../internal/foreignText.ts"

/** The lines in which two texts differ: as a person reads a patch, and counted. */
export interface LineDifference {
  readonly added: number
  readonly removed: number
  /** Unified, with a line of context; nothing where it would be long. */
  readonly hunk?: string
}

/** More pairs of lines are not compared with each other; all of them then count as replaced. */
const maxPairs = 1_000_000

/** Lines of a hunk that is still shown. */
const maxHunkLines = 14

type Row = readonly [sign: " " | "-" | "+", line: string]

/** What differs between two texts of several lines. */
export const lineDifference = (before: string, after: string): LineDifference => {
  const [old, now] = [before.split("\n"), after.split("\n")]
  const same = sharedStart(old, now)
  const sameEnd = sharedStart(old.slice(same).toReversed(), now.slice(same).toReversed())
  const rows = changedRows(old.slice(same, old.length - sameEnd), now.slice(same, now.length - sameEnd))
  const count = (wanted: Row[0]) => rows.filter(([sign]) => sign === wanted).length
  const counts = { added: count("+"), removed: count("-") }
  if (rows.length > maxHunkLines) return counts
  const context = (line: string | undefined): ReadonlyArray<Row> => (line === undefined ? [] : [[" ", line]])
  const shown = [...context(old[same - 1]), ...rows, ...context(sameEnd === 0 ? undefined : old[old.length - sameEnd])]
  const from = same === 0 ? 1 : same
  const lines = shown.map(([sign, line]) => sign + clipped(line, 159))
  return { ...counts, hunk: [`@@ line ${from} @@`, ...lines].join("\n") }
}

/** How many items two lists have in common from their beginnings on. */
export const sharedStart = <A>(a: ArrayLike<A>, b: ArrayLike<A>): number => {
  const most = Math.min(a.length, b.length)
  let same = 0
  while (same < most && a[same] === b[same]) same++
  return same
}

/** The rows that lead from one list of lines to the other, as many kept as can be. */
const changedRows = (old: ReadonlyArray<string>, now: ReadonlyArray<string>): ReadonlyArray<Row> => {
  const removed = old.map((line): Row => ["-", line])
  const added = now.map((line): Row => ["+", line])
  if (old.length * now.length > maxPairs) return [...removed, ...added]
  const longest = longestShared(old, now)
  const at = (row: number, column: number) => longest[row]?.[column] ?? 0
  const rows: Array<Row> = []
  let [row, column] = [0, 0]
  while (row < old.length || column < now.length) {
    const [was, is] = [old[row], now[column]]
    if (was !== undefined && was === is) {
      rows.push([" ", was])
      row++
      column++
    } else if (was !== undefined && (is === undefined || at(row + 1, column) >= at(row, column + 1))) {
      rows.push(["-", was])
      row++
    } else if (is !== undefined) {
      rows.push(["+", is])
      column++
    }
  }
  return rows
}

/** How many lines the rests of both lists share, by where the rests begin. */
const longestShared = (old: ReadonlyArray<string>, now: ReadonlyArray<string>): ReadonlyArray<Uint32Array> => {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1))
  for (let row = old.length - 1; row >= 0; row--) {
    const [here, below] = [table[row], table[row + 1]]
    if (here === undefined || below === undefined) continue
    for (let column = now.length - 1; column >= 0; column--) {
      here[column] =
        old[row] === now[column] ? (below[column + 1] ?? 0) + 1 : Math.max(below[column] ?? 0, here[column + 1] ?? 0)
    }
  }
  return table
}

/** Two texts of one line, each cut to where they differ. */
export const aroundDifference = (before: string, after: string, room: number): readonly [string, string] => {
  if (before.length <= room && after.length <= room) return [before, after]
  const start = Math.max(sharedStart(Array.from(before), Array.from(after)) - Math.floor(room / 3), 0)
  return [cutAt(before, start, room), cutAt(after, start, room)]
}

const cutAt = (text: string, start: number, room: number) => {
  const units = Array.from(text)
  const shown = units.slice(start, start + room).join("")
  return `${start > 0 ? "…" : ""}${shown}${start + room < units.length ? "…" : ""}`
}
