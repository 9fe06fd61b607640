import { Effect, type Option, Schema, Struct } from "effect"

import { type JsonObject, open } from "../../internal/schema/JsonObject.ts"
import { type Cells, DataTable, type NewColumn, Row, type RowFilter } from "../workflow/dataTables.ts"
import { type Page, page, type PageQuery } from "../workflow/models.ts"
import type * as Call from "./call.ts"
import type { EngineError } from "./EngineError.ts"

/** The rows of a list, in which order, and of which page. */
export interface RowQuery extends PageQuery {
  readonly filter?: RowFilter | undefined
  readonly sortBy?: string | undefined
  readonly search?: string | undefined
}

/** The calls about data tables, their columns and rows. */
export interface TableCalls {
  /** One page of data tables, by name; only engines of generation 2 have them. */
  readonly listTablesIfSupported: (query: PageQuery) => Effect.Effect<Option.Option<Page<DataTable>>, EngineError>
  /** Reads one data table with its columns; `ApiError` 404 if there is none with this id. */
  readonly getTable: (id: string) => Effect.Effect<DataTable, EngineError>
  /** One page of the rows of a data table, by id where no order is given. */
  readonly listRows: (id: string, query: RowQuery) => Effect.Effect<Page<Row>, EngineError>
  /** Creates a data table; a name that is taken is an `ApiError` 409, like that of a column. */
  readonly createTable: (name: string, columns: ReadonlyArray<NewColumn>) => Effect.Effect<DataTable, EngineError>
  readonly renameTable: (id: string, name: string) => Effect.Effect<DataTable, EngineError>
  /** Deletes a data table with all its rows. */
  readonly deleteTable: (id: string) => Effect.Effect<JsonObject, EngineError>
  readonly createColumn: (id: string, column: NewColumn) => Effect.Effect<JsonObject, EngineError>
  readonly renameColumn: (id: string, column: string, name: string) => Effect.Effect<JsonObject, EngineError>
  /** Deletes a column with its values. */
  readonly deleteColumn: (id: string, column: string) => Effect.Effect<unknown, EngineError>
  /** Inserts rows, all or none, and tells their ids. */
  readonly insertRows: (id: string, rows: ReadonlyArray<Cells>) => Effect.Effect<ReadonlyArray<number>, EngineError>
  /** Changes all rows that a filter lets pass to these values. */
  readonly updateRows: (id: string, filter: RowFilter, values: Cells) => Effect.Effect<unknown, EngineError>
  /** Deletes all rows that a filter lets pass. It travels in the address, which some take to 8 kB only. */
  readonly deleteRows: (id: string, filter: RowFilter) => Effect.Effect<unknown, EngineError>
}

const at = (id: string) => `/data-tables/${encodeURIComponent(id)}`

/** Data tables, their columns and rows: engines of generation 2 alone have them. Ids are those that the engine has shown. */
export const tableCalls = ({ call, callDeletion, callIfSupported, changeCall }: Call.Calls): TableCalls => ({
  listTablesIfSupported: (query: PageQuery) =>
    callIfSupported(page(DataTable), {
      operation: "list data tables",
      method: "GET",
      path: "/data-tables",
      query: { ...query, sortBy: "name:asc" }
    }),
  getTable: (id: string) => call(DataTable, { operation: "get data table", method: "GET", path: at(id) }),
  listRows: (id: string, { filter, ...query }: RowQuery) =>
    call(page(Row), {
      operation: "list the rows of data table",
      method: "GET",
      path: `${at(id)}/rows`,
      query: { ...query, ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }) }
    }),
  createTable: (name: string, columns: ReadonlyArray<NewColumn>) =>
    call(DataTable, {
      operation: "create data table",
      method: "POST",
      path: "/data-tables",
      body: { name, columns: columns.map((column) => Struct.pick(column, ["name", "type"])) }
    }),
  renameTable: (id: string, name: string) =>
    call(DataTable, { operation: "rename data table", method: "PATCH", path: at(id), body: { name } }),
  deleteTable: (id: string) => callDeletion(DataTable, { operation: "delete data table", path: at(id) }),
  createColumn: (id: string, column: NewColumn) =>
    call(open({ id: Schema.String }), {
      operation: "create a column of data table",
      method: "POST",
      path: `${at(id)}/columns`,
      body: column
    }),
  renameColumn: (id: string, column: string, name: string) =>
    call(open({ name: Schema.String }), {
      operation: "rename a column of data table",
      method: "PATCH",
      path: `${at(id)}/columns/${encodeURIComponent(column)}`,
      body: { name }
    }),
  deleteColumn: (id: string, column: string) =>
    changeCall({ method: "DELETE", path: `${at(id)}/columns/${encodeURIComponent(column)}` }),
  /** The ids of the new rows. */
  insertRows: (id: string, data: ReadonlyArray<Cells>) =>
    Effect.map(
      call(Schema.Array(open({ id: Schema.Int })), {
        operation: "insert rows into data table",
        method: "POST",
        path: `${at(id)}/rows`,
        body: { data, returnType: "id" }
      }),
      (rows) => rows.map((row) => row.id)
    ),
  updateRows: (id: string, filter: RowFilter, data: Cells) =>
    call(Schema.Literal(true), {
      operation: "update rows of data table",
      method: "PATCH",
      path: `${at(id)}/rows/update`,
      body: { filter, data }
    }),
  deleteRows: (id: string, filter: RowFilter) =>
    call(Schema.Literal(true), {
      operation: "delete rows of data table",
      method: "DELETE",
      path: `${at(id)}/rows/delete`,
      query: { filter: JSON.stringify(filter) }
    })
})
