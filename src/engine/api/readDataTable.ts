import { Effect, Predicate, Schema } from "effect"

import { reads } from "../../mcp/annotations.ts"
import { Audience } from "../../mcp/callContext.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { EngineClient } from "../client/EngineClient.ts"
import { countRows, filterFor, findTable, isWithoutTables, orNoTables, requireRows } from "../tools/dataTables.ts"
import * as EngineTool from "../tools/EngineTool.ts"
import { listPage } from "../tools/paging.ts"
import { limit, optional } from "../tools/parameters.ts"
import { columnNamed, columnsOf, type DataTable, passes, RowFilter, sentFilter } from "../workflow/dataTables.ts"

/** Bytes of the rows or tables of one answer; the page reads whole tables. */
const room = Effect.map(Audience, (audience) => (audience === "person" ? 1_000_000 : 8000))

/** Rows that were counted are read whole, long texts among them. */
const hasLimit = (input: unknown) => Predicate.hasProperty(input, "limit")

/** Rows that are counted: more take longer than a caller waits. */
const mostCounted = 100_000

const overview = (table: DataTable) => ({
  id: table.id,
  name: table.name,
  ...(table.projectId === undefined ? {} : { projectId: table.projectId }),
  columns: Object.fromEntries(columnsOf(table).map(({ name, type }) => [name, type]))
})

/** A filter in the engine's words, as an argument. */
export const filterArgument = RowFilter.annotate({
  inputSchema: {
    type: "object",
    description: "{type: and|or, filters: [{columnName, condition: eq|neq|gt|gte|lt|lte|like|ilike, value or null}]}"
  }
})

const sortForm = /^([A-Za-z]\w{0,62}):(asc|desc)$/

/** Engines get it in the address. */
const searchedText = Schema.String.check(
  Schema.isMaxLength(1000, { message: "must be at most 1000 characters long" })
).annotate({ inputSchema: { type: "string" } })

export const readDataTable = EngineTool.make("read_data_table", {
  title: "Read data table",
  description: "List or describe data tables, read or count rows",
  annotations: reads,
  isWhole: hasLimit,
  arguments: {
    action: Schema.Literals(["list", "describe", "rows", "count"]),
    table: optional(Schema.String.annotate({ description: "Id or name" })),
    filter: optional(filterArgument),
    sort: optional(
      Schema.String.check(Schema.isPattern(sortForm, { message: "must be column:asc or column:desc" })).annotate({
        inputSchema: { type: "string", description: "column:desc" }
      })
    ),
    search: optional(searchedText),
    limit: limit.annotate({ inputSchema: { type: "integer" } }),
    cursor: optional(Schema.String)
  },
  run: Effect.fnUntraced(
    function* ({ action, cursor, limit, table: given, ...wanted }) {
      const client = yield* EngineClient
      if (action === "list") {
        yield* client.requireRights(["GET /data-tables"])
        return yield* listPage({
          list: "read_data_table",
          filters: Schema.Struct({}),
          given: {},
          cursor,
          limit,
          room: yield* room,
          fetch: (_, query) => Effect.flatMap(client.listTablesIfSupported(query), (page) => orNoTables(client, page)),
          show: overview
        })
      }
      if (given === undefined) {
        return yield* new InvalidArgument({
          argument: "table",
          problem: `is needed to ${action === "describe" ? "describe one" : action === "rows" ? "read rows" : "count rows"}`
        })
      }
      const table = yield* findTable(client, given)
      if (action === "describe") return { ...overview(table), sizeBytes: table["sizeBytes"] }
      if (action === "count") {
        const { filter, search } = wanted
        const checked = filter === undefined ? undefined : yield* filterFor(table, filter)
        const rows = yield* countRows(client, table, { filter: checked, search }, mostCounted)
        return rows <= mostCounted
          ? { rows }
          : { rows: mostCounted, notice: "There are more. Count them in parts, by filters on id" }
      }
      return yield* rowsPage(client, table, { cursor, limit, wanted })
    },
    Effect.catchIf(isWithoutTables, ({ problem }) => Effect.succeed({ guidance: problem }))
  )
})

const Wanted = Schema.Struct({
  filter: optional(RowFilter),
  sort: optional(Schema.String),
  search: optional(Schema.String)
})

interface RowRequest {
  readonly cursor: string | undefined
  readonly limit: number
  readonly wanted: typeof Wanted.Type
}

/** One page of the rows of a table. Every part of what is wanted is checked before it is sent. */
const rowsPage = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  table: DataTable,
  { cursor, limit, wanted }: RowRequest
) {
  yield* requireRows(client)
  return yield* listPage({
    list: `read_data_table of the rows of ${table.name}`,
    filters: Wanted,
    given: wanted,
    cursor,
    limit,
    room: yield* room,
    fetch: Effect.fnUntraced(function* ({ filter, search, sort }, query) {
      const checked = filter === undefined ? undefined : yield* filterFor(table, filter)
      const [, column = ""] = sortForm.exec(sort ?? "") ?? []
      if (sort !== undefined && !system.has(column)) yield* knownColumn(table, column)
      const page = yield* client.listRows(table.id, {
        ...query,
        search,
        filter: checked === undefined ? undefined : sentFilter(checked),
        sortBy: sort
      })
      return checked === undefined ? page : { ...page, data: page.data.filter(passes(checked)) }
    }),
    show: (row) => row
  })
})

const system = new Set(["id", "createdAt", "updatedAt"])

const knownColumn = (table: DataTable, name: string) =>
  Effect.mapError(
    Effect.fromResult(columnNamed(table, name)),
    (problem) => new InvalidArgument({ argument: "sort", problem })
  )
