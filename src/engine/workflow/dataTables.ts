import { Array as Arrays, Option, Predicate, Result, Schema } from "effect"

import { fitting } from "../../internal/fits.ts"
import { nameText, quotedName } from "../../internal/foreignText.ts"
import { open } from "../../internal/schema/JsonObject.ts"
import { nearest } from "../../internal/texts.ts"
import { cellOf, isCell, isSystem, named, storedTime, systemColumns, type Typed } from "./cells.ts"

/** The types of columns that can be made. */
export const ColumnType = Schema.Literals(["string", "number", "boolean", "date"])
export type ColumnType = typeof ColumnType.Type
export const isColumnType = Schema.is(ColumnType)

/** A column as an engine shows it; newer ones may have further types. */
const Column = open({ id: Schema.String, name: Schema.String, type: Schema.String, index: Schema.Int })
export type Column = typeof Column.Type

/** A column to be made; at the end where no place is given. */
export const NewColumn = Schema.Struct({
  name: Schema.String,
  type: ColumnType,
  index: Schema.optionalKey(Schema.Int)
})
export type NewColumn = typeof NewColumn.Type

/** A data table as an engine shows it. */
export const DataTable = open({
  id: Schema.String,
  name: Schema.String,
  projectId: Schema.optionalKey(Schema.String),
  columns: Schema.Array(Column)
})
export type DataTable = typeof DataTable.Type

/** Rows of a table that are kept at most, so that they can be brought back: by a backup, and by a plan that changes or copies them. */
export const mostRowsKept = 10_000

/** The columns of a table in their order. */
export const columnsOf = ({ columns }: DataTable): ReadonlyArray<Column> =>
  columns.toSorted((a, b) => a.index - b.index)

/** A row as an engine shows it: its values stand beside the columns that every table has. */
export const Row = open({ id: Schema.Int })
export type Row = typeof Row.Type

/** The value of a cell as engines store it. */
export const Cell = Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
export type Cell = typeof Cell.Type

/** The values of a row by the names of columns. */
export const Cells = Schema.Record(Schema.String, Cell)
export type Cells = typeof Cells.Type

/** The column of a name, or that there is none, with the nearest one. */
export const columnNamed = (table: DataTable, name: string): Result.Result<Column, string> =>
  named(columnsOf(table), name)

/** The values of a row as the columns of a table store them, or the first problem. */
export const cellsOf = (table: DataTable, values: Readonly<Record<string, unknown>>): Result.Result<Cells, string> =>
  Result.map(
    Result.all(
      Object.entries(values).map(([name, value]) => {
        if (isSystem(name)) return Result.fail(`${name}: the engine alone writes this column`)
        return Result.flatMap(columnNamed(table, name), (column) =>
          Result.mapBoth(cellOf(column, value), {
            onFailure: (problem) => `${name}: ${problem}`,
            onSuccess: (cell) => [name, cell] as const
          })
        )
      })
    ),
    Object.fromEntries
  )

/** The values of a row that a table of these columns holds, without those that the engine writes. */
export const valuesIn = (row: Row, columns: ReadonlyArray<{ readonly name: string }>): Cells =>
  Object.fromEntries(
    columns.flatMap(({ name }) => {
      const cell = row[name] ?? null
      return isCell(cell) ? [[name, cell] as const] : []
    })
  )

const conditions = ["eq", "neq", "gt", "gte", "lt", "lte", "like", "ilike"] as const

/** A filter in the engine's words. */
export const RowFilter = Schema.Struct({
  type: Schema.optionalKey(Schema.Literals(["and", "or"])),
  filters: Schema.NonEmptyArray(
    Schema.Struct({ columnName: Schema.String, condition: Schema.Literals(conditions), value: Schema.Unknown })
  )
})
export type RowFilter = typeof RowFilter.Type

/** The filter for rows with one of these values in a column; undefined where there is no value. */
export const anyOf = (columnName: string, values: ReadonlyArray<Cell>): RowFilter | undefined => {
  const filters = values.map((value) => ({ columnName, condition: "eq" as const, value }))
  return Arrays.isArrayNonEmpty(filters) ? { type: "or", filters } : undefined
}

/** Conditions that are asked at once, and their characters: they travel in the address, which some take to 8 kB only. */
export const mostConditions = 20
const mostCharacters = 6000

const lengthInAddress = (value: unknown): number => encodeURIComponent(JSON.stringify(value)).length

/** Whether conditions fit an address. */
export const fitAddress = (conditions: ReadonlyArray<unknown>): boolean => lengthInAddress(conditions) <= mostCharacters

/** Conditions in parts, of which each fits an address; one that is too long for any is alone. */
export const partsForAddress = <A>(conditions: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  const parts: Array<Array<A>> = []
  let length = 0
  for (const condition of conditions) {
    const last = parts.at(-1)
    const added = lengthInAddress([condition])
    length += added
    if (last !== undefined && last.length < mostConditions && length <= mostCharacters) last.push(condition)
    else {
      parts.push([condition])
      length = added
    }
  }
  return parts
}

interface Condition {
  readonly columnName: string
  readonly condition: (typeof conditions)[number]
  readonly value: Cell
  readonly isTime: boolean
}

/** A filter whose columns and values fit a table. */
export interface CheckedFilter {
  readonly type: "and" | "or"
  readonly filters: ReadonlyArray<Condition>
}

/** A filter with values as the columns of a table store them, or the first problem. */
export const checkedFilter = (
  table: DataTable,
  { filters, type = "and" }: RowFilter
): Result.Result<CheckedFilter, string> =>
  Result.map(
    Result.all(
      filters.map(({ columnName, condition, value }) =>
        Result.flatMap(named([...columnsOf(table), ...systemColumns], columnName), (column) =>
          Result.flatMap(cellOf(column, value), (cell) =>
            isComparable(condition, column, cell)
              ? Result.succeed({ columnName, condition, value: cell, isTime: column.type === "date" && cell !== null })
              : Result.fail(
                  condition.endsWith("like")
                    ? `${condition} is for texts, % for any characters`
                    : `${condition} needs a value`
                )
          ).pipe(Result.mapError((problem) => `${columnName}: ${problem}`))
        )
      )
    ),
    (all) => ({ type, filters: all })
  )

const isComparable = (condition: Condition["condition"], column: Typed, cell: Cell): boolean => {
  if (condition === "eq" || condition === "neq") return true
  return condition === "like" || condition === "ilike" ? column.type === "string" && cell !== null : cell !== null
}

const day = 86_400_000

const shifted = (time: Cell, millis: number): string => new Date(Date.parse(String(time)) + millis).toISOString()

/**
 * A filter that an engine can be trusted with: it lets pass all that the filter does, and perhaps more. Engines on SQLite compare times
 * as texts of two forms, which is wrong within a day, so that conditions on times are a day wider; `passes` does the rest.
 */
export const sentFilter = ({ filters, type }: CheckedFilter): RowFilter | undefined => {
  const widened = filters.map(({ columnName, condition, isTime, value }) => {
    if (!isTime) return [{ columnName, condition, value }]
    const from = { columnName, condition: "gte", value: shifted(value, -day) } as const
    const to = { columnName, condition: "lte", value: shifted(value, day) } as const
    if (condition === "neq") return []
    if (condition === "eq") return type === "and" ? [from, to] : [from]
    return condition.startsWith("gt") ? [from] : [to]
  })
  const isAll = widened.some((some) => some.length === 0) && type === "or"
  const sent = isAll ? [] : widened.flat()
  return Arrays.isArrayNonEmpty(sent) ? { type, filters: sent } : undefined
}

/** Whether a row that an engine has let pass does so by a filter, too. */
export const passes = ({ filters, type }: CheckedFilter): ((row: Row) => boolean) => {
  const doubtful = type === "and" ? filters.filter(({ isTime }) => isTime) : filters
  if (!doubtful.some(({ isTime }) => isTime)) return () => true
  return (row) => {
    const isMet = (condition: Condition) => holds(condition, row[condition.columnName] ?? null)
    return type === "and" ? doubtful.every(isMet) : doubtful.some(isMet)
  }
}

const holds = ({ condition, isTime, value }: Condition, given: unknown): boolean => {
  const cell = isTime && Predicate.isString(given) ? (storedTime(given) ?? given) : given
  if (condition === "eq") return cell === value
  if (condition === "neq") return cell !== value
  if (cell === null || value === null || typeof cell !== typeof value) return false
  if (condition === "like" || condition === "ilike") {
    const written = (text: unknown) => (condition === "ilike" ? String(text).toUpperCase() : String(text))
    const pattern = written(value)
    return fitting(pattern.includes("%") ? pattern : `%${pattern}%`, "%")(written(cell))
  }
  const order =
    Predicate.isString(cell) && Predicate.isString(value)
      ? cell < value
        ? -1
        : cell > value
          ? 1
          : 0
      : Number(cell) - Number(value)
  return condition === "gt" ? order > 0 : condition === "gte" ? order >= 0 : condition === "lt" ? order < 0 : order <= 0
}

/** A name that a column can have. */
export const columnForm = /^[A-Za-z][A-Za-z0-9_]{0,62}$/

/** The reason why a column cannot be made beside others, if there is one. Some engines take names for equal that differ in letter case. */
export const columnProblem = (name: string, others: ReadonlyArray<string>): string | undefined => {
  if (isSystem(name)) return `every table has a column ${name} already`
  if (!columnForm.test(name)) {
    return `${quotedName(name)} cannot be the name of a column: a letter, then letters, digits and _, at most 63`
  }
  if (Reflect.has({}, name)) return `${name} cannot be the name of a column: engines fail to insert rows beside it`
  const taken = others.find((other) => other.toLowerCase() === name.toLowerCase())
  return taken === undefined ? undefined : `there is a column ${taken} already`
}

/** The reason why a table cannot be called so, if there is one: a name that hides or turns text shows another one. */
export const tableNameProblem = (name: string): string | undefined => {
  if (name === "" || name.length > 128) return "must be 1 to 128 characters long"
  return nameText(name) === name ? undefined : "must be one line, without characters that hide or turn text"
}

/** The table of an id or a name, or why none is meant. */
export const tableNamed = (tables: ReadonlyArray<DataTable>, given: string): Result.Result<DataTable, string> => {
  const byId = tables.find(({ id }) => id === given)
  const matches = byId === undefined ? tables.filter(({ name }) => name === given.trim()) : [byId]
  const [match, other] = matches
  if (match === undefined) {
    const names = tables.map(({ name }) => name)
    const guess = Option.fromUndefinedOr(nearest(given, names))
    return Result.fail(
      `there is no data table ${quotedName(given)} that this key may see. ${Option.match(guess, {
        onNone: () => (names.length === 0 ? "There is none at all" : "read_data_table {action: list} shows them"),
        onSome: (name) => `Did you mean ${name}?`
      })}`
    )
  }
  return other === undefined
    ? Result.succeed(match)
    : Result.fail(
        `several projects have a data table of this name. Give an id: ${matches.map(({ id, projectId = "" }) => `${id} (project ${projectId})`).join(", ")}`
      )
}
