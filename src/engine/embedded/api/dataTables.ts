import { Effect, Option, Predicate, Schema } from "effect"

import { parseJson } from "../../../internal/json/values.ts"
import { isJsonObject, objectOf, textOf } from "../../../internal/schema/JsonObject.ts"
import type { ColumnRecord, DataTableRecord } from "../store/records.ts"
import { Store } from "../store/Store.ts"
import { freshId, now } from "../store/values.ts"
import { badRequest, conflict, notFound } from "../wire/http.ts"
import { byOffset, type Query } from "../wire/query.ts"
import { anything } from "../wire/shapes.ts"
import { Dialect, type Endpoint, ok } from "./Dialect.ts"
import { systemColumns } from "./rowFilters.ts"

const body = { shape: anything }

/** The table of an id, which must have the form of one. */
export const findTable = Effect.fnUntraced(function* (id: string) {
  const { tables } = yield* Store
  if (!idForm.test(id)) return yield* badRequest('request/params/dataTableId must match format "nanoid"')
  return tables.dataTables.get(id) ?? (yield* notFound(`Could not find the data table: '${id}'`))
})

const idForm = /^[A-Za-z0-9]{16}$/

/** Pages of data tables are held to their limit, unlike others. */
export const pageOf = Effect.fnUntraced(function* <A>(rows: ReadonlyArray<A>, query: Query) {
  const { paging } = yield* Dialect
  if (Number(query.get("limit") ?? 0) > 250) return yield* badRequest("request/query/limit must be <= 250")
  return yield* byOffset(rows, query, paging)
})

const columnView = (dataTableId: string, columns: ReadonlyArray<ColumnRecord>, column: ColumnRecord) => {
  const { createdAt, id, name, type, updatedAt } = column
  return { updatedAt, createdAt, id, dataTableId, name, type, index: columns.indexOf(column) }
}

const tableView = Effect.fnUntraced(function* ({ columns, createdAt, id, name, updatedAt }: DataTableRecord) {
  const { tables } = yield* Store
  const sorted = columns.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return {
    updatedAt,
    createdAt,
    id,
    name,
    projectId: tables.owner.projectId,
    columns: sorted.map((column) => columnView(id, columns, column)),
    sizeBytes: 4096 * Math.ceil((1 + (tables.rows.get(id)?.size ?? 0)) / 50)
  }
})

/** A name that no other table has, without blanks around it. */
const freeName = Effect.fnUntraced(function* (given: unknown) {
  const { tables } = yield* Store
  if (!Predicate.isString(given)) return yield* badRequest("request/body must have required property 'name'")
  if (given === "") return yield* badRequest("request/body/name must NOT have fewer than 1 characters")
  if (given.length > 128) return yield* badRequest("request/body/name must NOT have more than 128 characters")
  const name = given.trim()
  if (name === "") return yield* badRequest("String must contain at least 1 character(s)")
  const isTaken = [...tables.dataTables.values()].some((table) => table.name === name)
  return isTaken ? yield* conflict(`Data table with name '${name}' already exists in this project`) : name
})

const columnForm = /^[A-Za-z][A-Za-z0-9_]{0,62}$/

const NewColumn = Schema.Struct({
  name: Schema.String,
  type: Schema.Literals(["string", "number", "boolean", "date"]),
  index: Schema.optionalKey(Schema.Int)
})

/** A new column whose name no column has; SQLite takes names for equal that differ in letter case, and fails. */
const newColumn = Effect.fnUntraced(function* (
  given: unknown,
  others: ReadonlyArray<{ readonly name: string }>,
  refuse: typeof badRequest
) {
  const decoded = Schema.decodeUnknownOption(NewColumn)(given)
  if (Option.isNone(decoded)) {
    return yield* badRequest(
      "request/body/type must be equal to one of the allowed values: string, number, boolean, date"
    )
  }
  const { name: written, type } = decoded.value
  const name = written.trim()
  if (!columnForm.test(name)) return yield* badRequest('request/body/name must match pattern "^[a-zA-Z][a-zA-Z0-9_]*$"')
  if (systemColumns.some((column) => column.name === name)) {
    return yield* refuse(`Column name "${name}" is reserved as a system column name.`)
  }
  const isTaken = others.some((column) => column.name.toLowerCase() === name.toLowerCase())
  if (isTaken) return yield* conflict(`Data table column with name '${name}' already exists`)
  const moment = yield* now
  return { id: yield* freshId, name, type, createdAt: moment, updatedAt: moment } satisfies ColumnRecord
})

const findColumn = ({ columns, id }: DataTableRecord, columnId: string) => {
  const column = columns.find((one) => one.id === columnId)
  return column === undefined
    ? Effect.fail(notFound(`Could not find the column '${columnId}' in the data table: ${id}`))
    : Effect.succeed(column)
}

const placed = (columns: ReadonlyArray<ColumnRecord>, column: ColumnRecord, index = columns.length) =>
  columns.toSpliced(Math.min(index, columns.length), 0, column)

/** Tables of which a filter names the id or a part of the name. */
const isListed = (filter: unknown) => {
  const { id, name } = objectOf(filter)
  const all = (value: unknown) => (value === undefined ? [] : [value].flat().map(String))
  return (table: DataTableRecord) =>
    (id === undefined || all(id).includes(table.id)) &&
    all(name).every((part) => table.name.toLowerCase().includes(part.toLowerCase()))
}

const listOrder = (sortBy = "updatedAt:desc") => {
  const [field, way] = sortBy.split(":")
  const valueOf = (table: DataTableRecord) =>
    field === "name" ? table.name.toLowerCase() : field === "createdAt" ? table.createdAt : table.updatedAt
  const sign = way === "asc" ? 1 : -1
  return (a: DataTableRecord, b: DataTableRecord) =>
    valueOf(a) === valueOf(b) ? 0 : valueOf(a) < valueOf(b) ? -sign : sign
}

/** Data tables: 2.x engines alone have them. */
export const dataTableEndpoints: ReadonlyArray<Endpoint> = [
  {
    method: "GET",
    path: "/data-tables",
    query: { limit: "limit", cursor: "escaped", filter: "escaped", sortBy: "escaped" },
    run: Effect.fnUntraced(function* ({ query }) {
      const { tables } = yield* Store
      const filter = query.get("filter")
      const wanted = filter === undefined ? {} : Option.getOrUndefined(parseJson(filter))
      const isFilter = isJsonObject(wanted) && Object.keys(wanted).every((name) => filterNames.has(name))
      if (!isFilter) return yield* badRequest("Invalid filter fields")
      const all = [...tables.dataTables.values()].filter(isListed(wanted)).sort(listOrder(query.get("sortBy")))
      const { data, nextCursor } = yield* pageOf(all, query)
      return ok({ data: yield* Effect.forEach(data, tableView), nextCursor })
    })
  },
  {
    method: "POST",
    path: "/data-tables",
    query: {},
    body,
    run: Effect.fnUntraced(function* ({ body: sent }) {
      const { commit, tables } = yield* Store
      const { columns: given, name: wanted, projectId } = objectOf(sent)
      const name = yield* freeName(wanted)
      if (!Array.isArray(given)) return yield* badRequest("request/body must have required property 'columns'")
      if (projectId !== undefined && projectId !== tables.owner.projectId) {
        return yield* badRequest(`Project with ID "${textOf(projectId)}" not found`)
      }
      const columns: Array<ColumnRecord> = []
      for (const column of given) columns.push(yield* newColumn(column, columns, badRequest))
      const moment = yield* now
      const dataTable = { id: yield* freshId, name, columns, createdAt: moment, updatedAt: moment }
      yield* commit({ dataTable })
      return { status: 201, body: yield* tableView(dataTable) }
    })
  },
  {
    method: "GET",
    path: "/data-tables/:id",
    query: {},
    run: Effect.fnUntraced(function* ({ at }) {
      return ok(yield* tableView(yield* findTable(at("id"))))
    })
  },
  {
    method: "PATCH",
    path: "/data-tables/:id",
    query: {},
    body,
    run: Effect.fnUntraced(function* ({ at, body: sent }) {
      const { commit } = yield* Store
      const before = yield* findTable(at("id"))
      const dataTable = { ...before, name: yield* freeName(objectOf(sent)["name"]), updatedAt: yield* now }
      yield* commit({ dataTable })
      return ok(yield* tableView(dataTable))
    })
  },
  {
    method: "DELETE",
    path: "/data-tables/:id",
    query: {},
    run: Effect.fnUntraced(function* ({ at }) {
      const { commit } = yield* Store
      const { id } = yield* findTable(at("id"))
      yield* commit({ removedDataTable: id })
      return { status: 204, body: undefined }
    })
  },
  {
    method: "GET",
    path: "/data-tables/:id/columns",
    query: {},
    run: Effect.fnUntraced(function* ({ at }) {
      const { columns, id } = yield* findTable(at("id"))
      return ok(columns.map((column) => columnView(id, columns, column)))
    })
  },
  {
    method: "POST",
    path: "/data-tables/:id/columns",
    query: {},
    body,
    run: Effect.fnUntraced(function* ({ at, body: sent }) {
      const { commit } = yield* Store
      const before = yield* findTable(at("id"))
      const column = yield* newColumn(sent, before.columns, conflict)
      const { index } = objectOf(sent)
      const columns = placed(before.columns, column, Predicate.isNumber(index) ? index : undefined)
      yield* commit({ dataTable: { ...before, columns, updatedAt: yield* now } })
      return { status: 201, body: columnView(before.id, columns, column) }
    })
  },
  {
    method: "PATCH",
    path: "/data-tables/:id/columns/:columnId",
    query: {},
    body,
    run: Effect.fnUntraced(function* ({ at, body: sent }) {
      const { commit } = yield* Store
      const before = yield* findTable(at("id"))
      const column = yield* findColumn(before, at("columnId"))
      const { index, name = column.name } = objectOf(sent)
      const others = before.columns.filter((one) => one !== column)
      const checked = yield* newColumn({ name, type: column.type }, others, conflict)
      const changed = { ...column, name: checked.name, updatedAt: checked.updatedAt }
      const place = Predicate.isNumber(index) ? index : before.columns.indexOf(column)
      if (place > others.length) {
        return yield* badRequest(
          "Validation error with data table request: tried to move column to an index larger than column count"
        )
      }
      const columns = placed(others, changed, place)
      yield* commit({ dataTable: { ...before, columns, updatedAt: checked.updatedAt } })
      return ok(columnView(before.id, columns, changed))
    })
  },
  {
    method: "DELETE",
    path: "/data-tables/:id/columns/:columnId",
    query: {},
    run: Effect.fnUntraced(function* ({ at }) {
      const { commit } = yield* Store
      const before = yield* findTable(at("id"))
      const column = yield* findColumn(before, at("columnId"))
      const columns = before.columns.filter((one) => one !== column)
      yield* commit({ dataTable: { ...before, columns, updatedAt: yield* now } })
      return { status: 204, body: undefined }
    })
  }
]

const filterNames = new Set(["id", "name", "projectId"])
