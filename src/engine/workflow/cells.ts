import { Predicate, Result } from "effect"

import { quotedName } from "../../internal/foreignText.ts"
import { nearest } from "../../internal/texts.ts"
import { isTimestamp } from "./executions.ts"

// The page reads cells, too. It would take every schema along that stands in the same file.

/** The value of a cell as engines store it. */
export type Cell = string | number | boolean | null

/** A column by its name and type. */
export interface Typed {
  readonly name: string
  readonly type: string
}

/** The columns of a table as `read_data_table` describes it. */
export const typedColumns = (columns: Readonly<Record<string, unknown>>): ReadonlyArray<Typed> =>
  Object.entries(columns).map(([name, type]) => ({ name, type: String(type) }))

/** The columns that every table has; nobody writes them. */
export const systemColumns: ReadonlyArray<Typed> = [
  { name: "id", type: "number" },
  { name: "createdAt", type: "date" },
  { name: "updatedAt", type: "date" }
]

export const isSystem = (name: string) => systemColumns.some((column) => column.name === name)

/** A date or a time, in UTC where it names no zone, as engines store it; undefined if it is none. */
export const storedTime = (text: string): string | undefined => {
  const joined = text.trim().replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, "$1T")
  const zoned = /T[\d:.]+$/.test(joined) ? `${joined}Z` : joined
  return isTimestamp(zoned) ? new Date(zoned).toISOString() : undefined
}

const wanted: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  date: "a date or a time, as in 2026-11-20 or 2026-11-20T09:00:00Z"
}

export const isCell = (value: unknown): value is Cell =>
  value === null || Predicate.isString(value) || Predicate.isBoolean(value) || Number.isFinite(value)

/**
 * A value as a column stores it, or what it must be instead. Engines are less careful: an empty text becomes the number 0, and the
 * 31st of February a day in March.
 */
export const cellOf = ({ type }: Typed, value: unknown): Result.Result<Cell, string> => {
  if (value === null) return Result.succeed(null)
  const stored = type === "date" && Predicate.isString(value) ? storedTime(value) : value
  const isOfType = type === "date" ? Predicate.isString(stored) : wanted[type] === undefined || typeof stored === type
  return isCell(stored) && isOfType ? Result.succeed(stored) : Result.fail(`must be ${wanted[type] ?? "a value"}`)
}

/** The column of a name among some, or that there is none, with the nearest one. */
export const named = <C extends Typed>(columns: ReadonlyArray<C>, name: string): Result.Result<C, string> => {
  const column = columns.find((one) => one.name === name)
  if (column !== undefined) return Result.succeed(column)
  const names = columns.map((one) => one.name)
  const guess = nearest(name, names)
  return Result.fail(
    `the table has no column ${quotedName(name)}. ${guess === undefined ? `Its columns: ${names.join(", ")}` : `Did you mean ${guess}?`}`
  )
}
