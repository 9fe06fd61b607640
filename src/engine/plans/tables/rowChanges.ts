import { Array as Arrays, Effect, Predicate, Result, Struct } from "effect"

import { grouped } from "../../../internal/collections.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { filterFor, matchingRows } from "../../tools/dataTables.ts"
import {
  anyOf,
  type Cell,
  cellsOf,
  columnNamed,
  type DataTable,
  fitAddress,
  mostConditions,
  mostRowsKept,
  partsForAddress,
  type RowFilter
} from "../../workflow/dataTables.ts"
import { insertions, ofKeys, updates } from "./tableDraft.ts"
import { keptRow } from "./tableState.ts"

type Client = EngineClient["Service"]

/** Rows of a table that are looked through for those of a key. */
const mostCompared = 100_000

/** Times that rows are asked for by their keys; where there are more keys, all rows are read. */
const mostAsked = 10

/** The rows that are meant, and their new values. */
export interface RowRequest {
  readonly rows?: ReadonlyArray<JsonObject> | undefined
  readonly values?: JsonObject | undefined
  readonly filter?: RowFilter | undefined
  readonly column?: string | undefined
}

export const invalid = (argument: string, problem: string) => new InvalidArgument({ argument, problem })

export const required = <A>(argument: string, value: A | undefined, action: string) =>
  value === undefined
    ? Effect.fail(invalid(argument, `is needed to ${action.replace("_", " a ")}`))
    : Effect.succeed(value)

const checkedCells = (table: DataTable, values: JsonObject, argument: string) =>
  Effect.fromResult(Result.mapError(cellsOf(table, values), (problem) => invalid(argument, problem)))

export const checkedRows = Effect.fnUntraced(function* (table: DataTable, rows: ReadonlyArray<JsonObject>) {
  if (rows.length > mostRowsKept) return yield* invalid("rows", `must be at most ${mostRowsKept} for one plan`)
  return yield* Effect.forEach(rows, (row, place) => checkedCells(table, row, `rows.${place}`))
})

export const knownColumn = (table: DataTable, name: string, argument: string) =>
  Effect.fromResult(Result.mapError(columnNamed(table, name), (problem) => invalid(argument, problem)))

/** The rows of a filter with what a plan keeps of them, if they are not too many. */
export const keptRows = Effect.fnUntraced(function* (
  client: Client,
  table: DataTable,
  filter: RowFilter | undefined,
  { argument = "filter", columns = table }: { readonly argument?: string; readonly columns?: DataTable } = {}
) {
  const checked = filter === undefined ? undefined : yield* filterFor(table, filter)
  const rows = yield* matchingRows(client, table, checked, mostRowsKept)
  if (rows.length <= mostRowsKept) return rows.map((row) => keptRow(row, columns))
  const first = JSON.stringify({ columnName: "id", condition: "lte", value: rows[mostRowsKept - 1]?.id })
  return yield* invalid(
    argument,
    `means more than ${mostRowsKept} rows, which is more than a plan keeps to roll it back: change some of them at a time, by a filter on id; the first ${mostRowsKept} are those of ${first}`
  )
})

/** Rows with the key that each is known by; the id of a row is no value of it. */
const keyedRows = Effect.fnUntraced(function* (table: DataTable, key: string, rows: ReadonlyArray<JsonObject>) {
  const isId = key === "id"
  const cells = yield* checkedRows(table, isId ? rows.map((row) => Struct.omit(row, ["id"])) : rows)
  const seen = new Set<Cell>()
  return yield* Effect.forEach(cells, (values, place) => {
    const { id } = { id: null, ...rows[place] }
    const cell = isId ? (Predicate.isNumber(id) ? id : null) : (values[key] ?? null)
    if (cell === null) {
      return Effect.fail(invalid(`rows.${place}`, `${key}: ${isId ? "must be the number of a row" : "is missing"}`))
    }
    if (seen.has(cell)) return Effect.fail(invalid("rows", `${key}: ${JSON.stringify(cell)} stands in several rows`))
    seen.add(cell)
    return Effect.succeed({ cell, values })
  })
})

/** The rows of a table that may have one of these keys, and perhaps others. */
const rowsOfKeys = Effect.fnUntraced(function* (
  client: Client,
  table: DataTable,
  key: string,
  cells: ReadonlyArray<Cell>
) {
  const parts = partsForAddress(anyOf(key, cells)?.filters ?? [])
  const isShort = parts.length <= mostAsked && parts.every(fitAddress)
  const some = yield* Effect.forEach(isShort ? parts : [[]], (filters) =>
    Effect.flatMap(
      Arrays.isReadonlyArrayNonEmpty(filters) ? filterFor(table, { type: "or", filters }) : Effect.undefined,
      (checked) => matchingRows(client, table, checked, mostCompared)
    )
  )
  const rows = some.flat()
  return rows.length > mostCompared
    ? yield* invalid(
        "table",
        `has more than ${mostCompared} rows: give at most ${mostConditions * mostAsked} rows at once, with short keys`
      )
    : rows
})

/** Changes of rows that are given one by one, each known by its value in a column. */
const changesByKey = Effect.fnUntraced(function* (
  client: Client,
  table: DataTable,
  { column, rows: given = [] }: RowRequest,
  isUpsert: boolean,
  widened: DataTable
) {
  const key = yield* required("column", column, "tell the rows apart: one of its columns, or id")
  if (key !== "id") yield* knownColumn(table, key, "column")
  const rows = yield* keyedRows(widened, key, given)
  const present = grouped(
    yield* rowsOfKeys(
      client,
      table,
      key,
      rows.map(({ cell }) => cell)
    ),
    (row) => row[key]
  )
  const strangers = rows.filter(({ cell }) => !present.has(cell))
  const [stranger] = strangers
  if (stranger !== undefined && (!isUpsert || key === "id")) {
    return yield* invalid("rows", `${key}: no row has ${JSON.stringify(stranger.cell)}`)
  }
  const unaskable = strangers.find(({ cell }) => !fitAddress(anyOf(key, [cell])?.filters ?? []))
  if (unaskable !== undefined) {
    const problem = `${key}: is too long in one of them for a look whether it is there by then: insert it, or take another column`
    return yield* invalid("rows", problem)
  }
  const changed = rows.flatMap(({ cell, values }) =>
    (present.get(cell) ?? []).map((row) => ({ row: keptRow(row, widened), after: values }))
  )
  const made = yield* insertions(
    client,
    table,
    strangers.map(({ values }) => values),
    ofKeys(key)
  )
  return [...updates(client, table, changed), ...made]
})

/**
 * Changes of the rows of a filter to the same values, or of given rows; an upsert inserts what is not there. `widened` is the table
 * with the columns that it will have then.
 */
export const rowChanges = Effect.fnUntraced(function* (
  client: Client,
  table: DataTable,
  request: RowRequest,
  action: "update" | "upsert",
  widened: DataTable = table
) {
  const isUpsert = action === "upsert"
  if (request.rows !== undefined) return yield* changesByKey(client, table, request, isUpsert, widened)
  const values = yield* checkedCells(widened, yield* required("values", request.values, action), "values")
  const filter = yield* required("filter", request.filter, action)
  const rows = yield* keptRows(client, table, filter, { columns: widened })
  return isUpsert && rows.length === 0
    ? yield* insertions(client, table, [values], () => filter)
    : updates(
        client,
        table,
        rows.map((row) => ({ row, after: values }))
      )
})
