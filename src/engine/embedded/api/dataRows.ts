import { Effect } from "effect"

import { isJsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { ColumnRecord, DataTableRecord, RowRecord } from "../store/records.ts"
import { Store } from "../store/Store.ts"
import { now } from "../store/values.ts"
import { badRequest, Refusal } from "../wire/http.ts"
import { anything } from "../wire/shapes.ts"
import { findTable, pageOf } from "./dataTables.ts"
import { type Endpoint, ok } from "./Dialect.ts"
import { cellsOf, contains, queriedFilter, rowFilter, rowOrder, systemColumns, valueOf } from "./rowFilters.ts"

const body = { shape: anything }

const rowView = (columns: ReadonlyArray<ColumnRecord>, row: RowRecord) => ({
  ...Object.fromEntries(columns.map((column) => [column.name, valueOf(row, column)])),
  id: row.id,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt
})

const rowsOf = Effect.fnUntraced(function* ({ id }: DataTableRecord) {
  return [...((yield* Store).tables.rows.get(id)?.values() ?? [])]
})

const orderOf = Effect.fnUntraced(function* (sortBy: string | undefined, columns: ReadonlyArray<ColumnRecord>) {
  if (sortBy === undefined) return undefined
  const [, name, way] = /^(\w+):(asc|desc)$/i.exec(sortBy) ?? []
  if (name === undefined) return yield* badRequest("Invalid sort format, expected <columnName>:<asc/desc>")
  const column = [...systemColumns, ...columns].find((one) => one.name === name)
  return column === undefined
    ? yield* new Refusal({ status: 500, message: "Internal server error" })
    : rowOrder(column, way?.toLowerCase() === "desc")
})

/** Rows of a table that a filter in a body lets pass. */
const filtered = Effect.fnUntraced(function* (table: DataTableRecord, filter: unknown) {
  const { conditions, test } = yield* Effect.fromResult(rowFilter(table.columns, filter))
  if (conditions === 0) return yield* badRequest("request/body/filter/filters must NOT have fewer than 1 items")
  return (yield* rowsOf(table)).filter(test)
})

/** Answers of changes: the rows, or that it was done. */
const answer = (sent: unknown, { columns }: DataTableRecord, rows: ReadonlyArray<RowRecord>) =>
  ok(isTrue(objectOf(sent)["returnData"]) ? rows.map((row) => rowView(columns, row)) : true)

const isTrue = (value: unknown): boolean => value === true || value === "true"

const dryRun = ({ columns }: DataTableRecord, pairs: ReadonlyArray<readonly [RowRecord | null, RowRecord | null]>) =>
  ok(
    pairs.flatMap(([before, after]) => {
      const nothing = { ...Object.fromEntries(columns.map(({ name }) => [name, null])), id: null }
      return [
        { ...(before === null ? nothing : rowView(columns, before)), dryRunState: "before" },
        { ...(after === null ? nothing : rowView(columns, after)), dryRunState: "after" }
      ]
    })
  )

const pairsOf = (before: ReadonlyArray<RowRecord>, after: ReadonlyArray<RowRecord>) =>
  before.map((row, place) => [row, after[place] ?? null] as const)

/** New rows after the last one; ids of removed last rows are given again, as SQLite does. */
const inserted = Effect.fnUntraced(function* (table: DataTableRecord, data: ReadonlyArray<unknown>) {
  const { commit } = yield* Store
  const values = yield* Effect.forEach(data, (row, place) =>
    isJsonObject(row)
      ? Effect.fromResult(cellsOf(table.columns, row))
      : Effect.fail(badRequest(`request/body/data/${place} must be object`))
  )
  const moment = yield* now
  const last = (yield* rowsOf(table)).at(-1)?.id ?? 0
  const rows = values.map((one, place) => ({
    id: last + place + 1,
    values: one,
    createdAt: moment,
    updatedAt: moment
  }))
  yield* commit({ rowsOf: table.id, rows }, { dataTable: { ...table, updatedAt: moment } })
  return rows
})

/** Rows with other values, and the moment of their change. */
const updated = Effect.fnUntraced(function* (table: DataTableRecord, rows: ReadonlyArray<RowRecord>, data: unknown) {
  const given = objectOf(data)
  if (Object.keys(given).length === 0) return yield* badRequest("data must not be empty")
  const values = yield* Effect.fromResult(cellsOf(table.columns, given))
  const updatedAt = yield* now
  return rows.map((row) => ({ ...row, values: { ...row.values, ...values }, updatedAt }))
})

const saved = Effect.fnUntraced(function* (table: DataTableRecord, rows: ReadonlyArray<RowRecord>) {
  const { commit } = yield* Store
  yield* commit({ rowsOf: table.id, rows }, { dataTable: { ...table, updatedAt: yield* now } })
  return rows
})

const removed = Effect.fnUntraced(function* (table: DataTableRecord, rows: ReadonlyArray<RowRecord>) {
  const { commit } = yield* Store
  yield* commit(
    { rowsOf: table.id, removedRows: rows.map(({ id }) => id) },
    { dataTable: { ...table, updatedAt: yield* now } }
  )
})

/** The calls about rows of data tables. */
export const rowEndpoints: ReadonlyArray<Endpoint> = [
  {
    method: "GET",
    path: "/data-tables/:id/rows",
    query: { limit: "limit", cursor: "escaped", filter: "escaped", sortBy: "escaped", search: "escaped" },
    run: Effect.fnUntraced(function* ({ at, query }) {
      const table = yield* findTable(at("id"))
      const { columns } = table
      const { test } = yield* Effect.fromResult(queriedFilter(query.get("filter"), columns))
      const order = yield* orderOf(query.get("sortBy"), columns)
      const search = query.get("search")
      const isWanted = search === undefined ? test : both(test, contains(columns, search))
      const rows = (yield* rowsOf(table)).filter(isWanted)
      const { data, nextCursor } = yield* pageOf(order === undefined ? rows : rows.sort(order), query)
      return ok({ data: data.map((row) => rowView(columns, row)), nextCursor })
    })
  },
  {
    method: "POST",
    path: "/data-tables/:id/rows",
    query: {},
    body,
    run: Effect.fnUntraced(function* ({ at, body: sent }) {
      const table = yield* findTable(at("id"))
      const { data, returnType = "count" } = objectOf(sent)
      if (!Array.isArray(data)) return yield* badRequest("request/body/data must be array")
      if (data.length === 0) return yield* badRequest("request/body/data must NOT have fewer than 1 items")
      const rows = yield* inserted(table, data)
      if (returnType === "count") return ok({ success: true, insertedRows: rows.length })
      return ok(rows.map((row) => (returnType === "id" ? { id: row.id } : rowView(table.columns, row))))
    })
  },
  {
    method: "PATCH",
    path: "/data-tables/:id/rows/update",
    query: {},
    body,
    run: Effect.fnUntraced(function* ({ at, body: sent }) {
      const table = yield* findTable(at("id"))
      const { data, dryRun: isDry, filter } = objectOf(sent)
      const before = yield* filtered(table, filter)
      const after = yield* updated(table, before, data)
      if (isTrue(isDry)) return dryRun(table, pairsOf(before, after))
      return answer(sent, table, yield* saved(table, after))
    })
  },
  {
    method: "POST",
    path: "/data-tables/:id/rows/upsert",
    query: {},
    body,
    run: Effect.fnUntraced(function* ({ at, body: sent }) {
      const table = yield* findTable(at("id"))
      const { data, dryRun: isDry, filter } = objectOf(sent)
      const before = yield* filtered(table, filter)
      const after = yield* updated(table, before, data)
      if (before.length > 0) {
        if (isTrue(isDry)) return dryRun(table, pairsOf(before, after))
        return answer(sent, table, yield* saved(table, after))
      }
      if (!isTrue(isDry)) return answer(sent, table, yield* inserted(table, [data]))
      const values = yield* Effect.fromResult(cellsOf(table.columns, objectOf(data)))
      const moment = yield* now
      return dryRun(table, [[null, { id: 0, values, createdAt: moment, updatedAt: moment }]])
    })
  },
  {
    method: "DELETE",
    path: "/data-tables/:id/rows/clear",
    query: {},
    run: Effect.fnUntraced(function* ({ at }) {
      const table = yield* findTable(at("id"))
      const rows = yield* rowsOf(table)
      yield* removed(table, rows)
      return ok({ deletedCount: rows.length })
    })
  },
  {
    method: "DELETE",
    path: "/data-tables/:id/rows/delete",
    query: { filter: "escaped", returnData: "boolean", dryRun: "boolean" },
    run: Effect.fnUntraced(function* ({ at, query }) {
      const table = yield* findTable(at("id"))
      const filter = query.get("filter")
      if (filter === undefined) return yield* badRequest("request/query must have required property 'filter'")
      const { conditions, test } = yield* Effect.fromResult(queriedFilter(filter, table.columns))
      if (conditions === 0) {
        return yield* badRequest("At least one filter condition is required for delete operations")
      }
      const rows = (yield* rowsOf(table)).filter(test)
      if (isTrue(query.get("dryRun")))
        return dryRun(
          table,
          rows.map((row) => [row, null])
        )
      yield* removed(table, rows)
      return answer({ returnData: query.get("returnData") }, table, rows)
    })
  }
]

const both =
  (one: (row: RowRecord) => boolean, other: (row: RowRecord) => boolean) =>
  (row: RowRecord): boolean =>
    one(row) && other(row)
