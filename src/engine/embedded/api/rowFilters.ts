import { Option, Predicate, Result, Schema } from "effect"

import { fitting } from "../../../internal/fits.ts"
import { parseJson } from "../../../internal/json/values.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import type { ColumnRecord, RowRecord } from "../store/records.ts"
import { iso } from "../store/values.ts"
import { badRequest, type Refusal } from "../wire/http.ts"

/** A column with the key of its values. */
type Column = Pick<ColumnRecord, "id" | "name" | "type">

/** The columns that every table has. */
export const systemColumns: ReadonlyArray<Column> = [
  { id: "id", name: "id", type: "number" },
  { id: "createdAt", name: "createdAt", type: "date" },
  { id: "updatedAt", name: "updatedAt", type: "date" }
]

type Cell = boolean | number | string | null

const invalid = (problem: string) => badRequest(`Validation error with data table request: ${problem}`)

/** A value as a column stores it. Engines are lenient: an empty text becomes the number 0, and the day after February's last one is in March. */
const cellOf = ({ name, type }: Column, value: unknown): Result.Result<Cell, Refusal> => {
  if (value === null || value === undefined) return Result.succeed(null)
  if (!Predicate.isString(value) && !Predicate.isNumber(value) && !Predicate.isBoolean(value)) {
    return Result.fail(badRequest("Invalid input"))
  }
  const cell = convert[type](value)
  const wanted = type === "date" ? "dateTime" : type
  return cell === undefined
    ? Result.fail(
        invalid(
          `value '${value}' does not match column type '${type}': '${name}' expects a ${wanted} but we got '${value}'`
        )
      )
    : Result.succeed(cell)
}

const convert: { readonly [type in Column["type"]]: (value: boolean | number | string) => Cell | undefined } = {
  string: (value) => (Predicate.isBoolean(value) ? (value ? "1" : "0") : String(value)),
  number: (value) => (Number.isNaN(Number(value)) ? undefined : Number(value)),
  boolean: (value) => {
    const text = String(value).toLowerCase()
    return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : undefined
  },
  date: (value) => {
    const hasZone = Predicate.isString(value) && /(?:Z|[+-]\d{2}:?\d{2})$/i.test(value)
    const isDay = Predicate.isString(value) && /^\d{4}(?:-\d{2}){0,2}$/.test(value)
    const millis = Predicate.isString(value) ? Date.parse(hasZone || isDay ? value : `${value}Z`) : Number.NaN
    return Number.isNaN(millis) ? undefined : iso(millis)
  }
}

/** The values of a row as they are stored, unknown columns refused. */
export const cellsOf = (
  columns: ReadonlyArray<Column>,
  row: JsonObject
): Result.Result<Readonly<Record<string, Cell>>, Refusal> =>
  Result.map(
    Result.all(
      Object.entries(row).map(([name, value]) => {
        const column = columns.find((one) => one.name === name)
        return column === undefined
          ? Result.fail(invalid(`unknown column name '${name}'`))
          : Result.map(cellOf(column, value), (cell) => [column.id, cell] as const)
      })
    ),
    Object.fromEntries
  )

const Filter = Schema.Struct({
  type: Schema.optionalKey(Schema.Literals(["and", "or"])),
  filters: Schema.Array(
    Schema.Struct({
      columnName: Schema.String,
      condition: Schema.Literals(["eq", "neq", "like", "ilike", "gt", "gte", "lt", "lte"]),
      value: Schema.Unknown
    })
  )
})

type RowTest = (row: RowRecord) => boolean

/** The test for rows that a filter describes. A filter without conditions lets all pass. */
export const rowFilter = (
  columns: ReadonlyArray<Column>,
  given: unknown
): Result.Result<{ readonly test: RowTest; readonly conditions: number }, Refusal> => {
  const decoded = Schema.decodeUnknownOption(Filter)(given)
  if (Option.isNone(decoded)) return Result.fail(badRequest("Invalid filter fields"))
  const { filters, type = "and" } = decoded.value
  return Result.map(
    Result.all(
      filters.map(({ columnName, condition, value }): Result.Result<RowTest, Refusal> => {
        const column = [...systemColumns, ...columns].find(({ name }) => name === columnName)
        if (column === undefined) return Result.fail(invalid(`unknown column name '${columnName}'`))
        return Result.flatMap(cellOf(column, value), (cell) => testOf(column, condition, cell))
      })
    ),
    (tests) => ({
      conditions: tests.length,
      test: (row) =>
        type === "or" && tests.length > 0 ? tests.some((test) => test(row)) : tests.every((test) => test(row))
    })
  )
}

/** A filter in the query of an address. */
export const queriedFilter = (text: string | undefined, columns: ReadonlyArray<Column>) =>
  text === undefined
    ? Result.succeed({ test: () => true, conditions: 0 })
    : rowFilter(columns, Option.getOrUndefined(parseJson(text)))

type Condition = (typeof Filter.Type)["filters"][number]["condition"]

const testOf = (column: Column, condition: Condition, wanted: Cell): Result.Result<RowTest, Refusal> => {
  const at = (row: RowRecord) => comparable(column, valueOf(row, column))
  if (condition === "eq")
    return Result.succeed((row) => (wanted === null ? at(row) === null : at(row) === order(wanted)))
  if (condition === "neq") {
    return Result.succeed((row) => (wanted === null ? at(row) !== null : at(row) !== order(wanted)))
  }
  const word = condition.toUpperCase()
  if (wanted === null) return Result.fail(invalid(`${word} filter value cannot be null or undefined`))
  if (condition === "like" || condition === "ilike") {
    if (!Predicate.isString(wanted)) return Result.fail(invalid(`${word} filter value must be a string`))
    const isLike = likeness(wanted, condition === "ilike")
    return Result.succeed((row) => isLike(at(row)))
  }
  const limit = order(wanted)
  return Result.succeed((row) => {
    const value = at(row)
    if (value === null) return false
    if (condition === "gt") return value > limit
    if (condition === "gte") return value >= limit
    return condition === "lt" ? value < limit : value <= limit
  })
}

const order = (cell: Exclude<Cell, null>): number | string => (Predicate.isBoolean(cell) ? Number(cell) : cell)

/** The value that a filter compares. Times are stored with a blank and compared with texts that have a T, as SQLite does. */
const comparable = ({ type }: Column, cell: unknown): number | string | null => {
  if (type === "date" && Predicate.isString(cell)) return cell.replace("T", " ").replace("Z", "")
  if (Predicate.isBoolean(cell)) return Number(cell)
  return Predicate.isString(cell) || Predicate.isNumber(cell) ? cell : null
}

export const valueOf = (row: RowRecord, { id }: Column): unknown =>
  id === "id" || id === "createdAt" || id === "updatedAt" ? row[id] : (row.values[id] ?? null)

/** Whether texts contain one, in which % stands for any characters. */
const likeness = (text: string, isCaseless: boolean): ((value: unknown) => boolean) => {
  const written = (value: unknown) => (isCaseless ? String(value).toUpperCase() : String(value))
  const fits = fitting(written(text.includes("%") ? text : `%${text}%`), "%")
  return (value) => value !== null && fits(written(value))
}

/** Compares rows by a column, empty cells first, and rows that are equal there by id. */
export const rowOrder =
  (column: Column, isDescending: boolean) =>
  (one: RowRecord, other: RowRecord): number => {
    const [a, b] = [one, other].map((row) => comparable(column, valueOf(row, column)))
    const way = isDescending ? -1 : 1
    if (a === b || a === undefined || b === undefined) return one.id - other.id
    if (a === null || b === null) return a === null ? -way : way
    return a < b ? -way : way
  }

/** Whether one of the values of a row contains a text, letter case aside. */
export const contains = (columns: ReadonlyArray<Column>, text: string): RowTest => {
  const isLike = likeness(text, true)
  return (row) => columns.some((column) => isLike(comparable(column, valueOf(row, column))))
}
