import { jsonBytes } from "./jsonBytes.ts"

/** How many rows fit into so many bytes of JSON, one after the other; at least one of them. */
export const fitting = (rows: ReadonlyArray<unknown>, bytes: number): number => {
  let left = bytes
  const tooMuch = rows.findIndex((row) => {
    left -= jsonBytes(row) + 1
    return left < 0
  })
  return tooMuch === -1 ? rows.length : Math.max(1, tooMuch)
}

/** The first rows that fit into so many bytes of JSON; at least one. */
export const fitted = <A>(rows: ReadonlyArray<A>, bytes: number): ReadonlyArray<A> =>
  rows.slice(0, fitting(rows, bytes))
