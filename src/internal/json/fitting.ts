import { jsonBytes } from "./jsonBytes.ts"

/** How many of the first rows fit into this many bytes of JSON; at least one. */
export const fitting = (rows: ReadonlyArray<unknown>, bytes: number): number => {
  let left = bytes
  const tooMuch = rows.findIndex((row) => {
    left -= jsonBytes(row) + 1
    return left < 0
  })
  return tooMuch === -1 ? rows.length : Math.max(1, tooMuch)
}

/** The first rows that fit into this many bytes of JSON; at least one. */
export const fitted = <A>(rows: ReadonlyArray<A>, bytes: number): ReadonlyArray<A> =>
  rows.slice(0, fitting(rows, bytes))
