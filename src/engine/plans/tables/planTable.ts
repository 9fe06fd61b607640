import { Effect, Result, Schema } from "effect"

import * as results from "../../../changes/tools/results.ts"
import { summary } from "../../../changes/tools/summary.ts"
import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { reads } from "../../../mcp/annotations.ts"
import { masking } from "../../../mcp/masking.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { ReadOnlyInstance } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import { allTables, filterFor, findTable, isWithoutTables, matchingRows } from "../../tools/dataTables.ts"
import { instanceSchema } from "../../tools/overInstances.ts"
import { optional, text } from "../../tools/parameters.ts"
import { refuseMasked } from "../../tools/refuseMasked.ts"
import {
  type Cells,
  cellsOf,
  columnNamed,
  columnProblem,
  columnsOf,
  ColumnType,
  type DataTable,
  isColumnType,
  RowFilter,
  valuesIn
} from "../../workflow/dataTables.ts"
import { toPlanningFailure } from "../failures.ts"
import { WorkflowPlans } from "../Plans.ts"
import { place } from "../Step.ts"
import { mostChanged, type TableChange } from "./TableChange.ts"
import { about, draftOf, insertions, type Kept, ofKeys, removals, updates } from "./tableDraft.ts"
import { keptRow } from "./tableState.ts"

type Client = EngineClient["Service"]

const actions = [
  "insert",
  "update",
  "upsert",
  "delete",
  "create_table",
  "rename_table",
  "delete_table",
  "add_columns",
  "rename_column",
  "delete_column"
] as const

/** Rows of a table that are looked through for those of a key. */
const mostCompared = 100_000

interface Request {
  readonly action: (typeof actions)[number]
  readonly table: string
  readonly rows?: ReadonlyArray<JsonObject> | undefined
  readonly values?: JsonObject | undefined
  readonly filter?: RowFilter | undefined
  readonly column?: string | undefined
  readonly name?: string | undefined
  readonly columns?: Readonly<Record<string, ColumnType>> | undefined
}

const invalid = (argument: string, problem: string) => new InvalidArgument({ argument, problem })

const required = <A>(argument: string, value: A | undefined, action: string) =>
  value === undefined
    ? Effect.fail(invalid(argument, `is needed to ${action.replace("_", " a ")}`))
    : Effect.succeed(value)

const checkedCells = (table: DataTable, values: JsonObject, argument: string) =>
  Effect.fromResult(Result.mapError(cellsOf(table, values), (problem) => invalid(argument, problem)))

/** The rows of a filter with what a plan keeps of them, if they are not too many. */
const keptRows = Effect.fnUntraced(function* (client: Client, table: DataTable, filter: RowFilter | undefined) {
  const checked = filter === undefined ? undefined : yield* filterFor(table, filter)
  const rows = yield* matchingRows(client, table, checked, mostChanged)
  return rows.length > mostChanged
    ? yield* invalid(
        filter === undefined ? "table" : "filter",
        `means more than ${mostChanged} rows, which is more than a plan keeps to roll it back: change some of them at a time, by a filter on id`
      )
    : rows.map((row) => keptRow(row, table))
})

const upserts = Effect.fnUntraced(function* (client: Client, table: DataTable, request: Request) {
  if (request.rows === undefined) {
    const values = yield* checkedCells(table, yield* required("values", request.values, "upsert"), "values")
    const filter = yield* required("filter", request.filter, "upsert")
    const rows = yield* keptRows(client, table, filter)
    return rows.length > 0
      ? updates(
          client,
          table,
          rows.map((row) => ({ row, after: values }))
        )
      : yield* insertions(client, table, [values], () => filter)
  }
  const key = yield* required("column", request.column, "upsert rows")
  yield* knownColumn(table, key, "column")
  const given = yield* checkedRows(table, request.rows)
  const all = yield* matchingRows(client, table, undefined, mostCompared)
  if (all.length > mostCompared) return yield* invalid("table", `has more than ${mostCompared} rows: upsert by filter`)
  const byKey = new Map<Cells[string], Array<Kept>>()
  for (const row of all) {
    const cell = valuesIn(row, [{ name: key }])[key] ?? null
    const some = byKey.get(cell)
    if (some === undefined) byKey.set(cell, [keptRow(row, table)])
    else some.push(keptRow(row, table))
  }
  const keys = given.map((cells) => cells[key] ?? null)
  const twice = keys.find((cell, place) => cell === null || keys.indexOf(cell) !== place)
  if (twice !== undefined) {
    return yield* invalid(
      "rows",
      `${key}: ${twice === null ? "is missing in a row" : `${JSON.stringify(twice)} stands in several rows`}`
    )
  }
  const present = given.flatMap((after) => (byKey.get(after[key] ?? null) ?? []).map((row) => ({ row, after })))
  const strangers = given.filter((cells) => !byKey.has(cells[key] ?? null))
  return [...updates(client, table, present), ...(yield* insertions(client, table, strangers, ofKeys(key)))]
})

const checkedRows = Effect.fnUntraced(function* (table: DataTable, rows: ReadonlyArray<JsonObject>) {
  if (rows.length > mostChanged) return yield* invalid("rows", `must be at most ${mostChanged} for one plan`)
  return yield* Effect.forEach(rows, (row, place) => checkedCells(table, row, `rows.${place}`))
})

const knownColumn = (table: DataTable, name: string, argument: string) =>
  Effect.fromResult(Result.mapError(columnNamed(table, name), (problem) => invalid(argument, problem)))

const newColumn = (name: string, others: ReadonlyArray<string>, argument: string) => {
  const problem = columnProblem(name, others)
  return problem === undefined ? Effect.succeed(name) : Effect.fail(invalid(argument, problem))
}

/** A name of a table that is free, as engines take it. */
const freeName = Effect.fnUntraced(function* (client: Client, given: string, argument: string) {
  const name = given.trim()
  if (name === "" || name.length > 128) return yield* invalid(argument, "must be 1 to 128 characters long")
  const tables = yield* allTables(client)
  return tables.some((table) => table.name === name)
    ? yield* invalid(argument, `there is a data table ${JSON.stringify(name)} already`)
    : name
})

/** Columns that can be made beside those of a table. */
const newColumns = Effect.fnUntraced(function* (
  table: DataTable | undefined,
  given: Readonly<Record<string, ColumnType>>
) {
  const names = table === undefined ? [] : columnsOf(table).map(({ name }) => name)
  return yield* Effect.forEach(Object.entries(given), ([column, type]) =>
    Effect.map(newColumn(column, names, "columns"), (name) => {
      names.push(name)
      return { name, type }
    })
  )
})

const creation = Effect.fnUntraced(function* (client: Client, request: Request) {
  const name = yield* freeName(client, request.table, "table")
  const columns = yield* newColumns(undefined, yield* required("columns", request.columns, request.action))
  return [{ kind: "table", instance: client.instance, action: "create", name, columns } satisfies TableChange]
})

/** The column of a table as one that can be made anew. */
const makeable = ({ index, name, type }: ReturnType<typeof columnsOf>[number]) =>
  isColumnType(type)
    ? Effect.succeed({ name, type, index })
    : Effect.fail(invalid("column", `${name} is of a type (${type}) that cannot be made again`))

const changesOf = Effect.fnUntraced(function* (client: Client, request: Request) {
  const { action } = request
  if (action === "create_table") return yield* creation(client, request)
  const table = yield* findTable(client, request.table)
  switch (action) {
    case "insert": {
      const rows = request.rows ?? (request.values === undefined ? undefined : [request.values])
      return yield* insertions(client, table, yield* checkedRows(table, yield* required("rows", rows, action)))
    }
    case "update": {
      const values = yield* checkedCells(table, yield* required("values", request.values, action), "values")
      const rows = yield* keptRows(client, table, yield* required("filter", request.filter, action))
      return updates(
        client,
        table,
        rows.map((row) => ({ row, after: values }))
      )
    }
    case "upsert":
      return yield* upserts(client, table, request)
    case "delete":
      return removals(client, table, yield* keptRows(client, table, yield* required("filter", request.filter, action)))
    case "delete_table": {
      const rows = yield* keptRows(client, table, undefined)
      const columns = yield* Effect.forEach(columnsOf(table), makeable)
      const drop: TableChange = { ...about(client, table), action: "drop", columns }
      return [...removals(client, table, rows), drop]
    }
    case "rename_table": {
      const after = yield* freeName(client, yield* required("name", request.name, action), "name")
      return [{ ...about(client, table), action: "rename", before: table.name, after } satisfies TableChange]
    }
    case "add_columns": {
      const columns = yield* newColumns(table, yield* required("columns", request.columns, action))
      return columns.map((after): TableChange => ({ ...about(client, table), action: "column", before: null, after }))
    }
    case "rename_column": {
      const column = yield* knownColumn(table, yield* required("column", request.column, action), "column")
      const others = columnsOf(table).filter((one) => one !== column)
      const name = yield* newColumn(
        yield* required("name", request.name, action),
        others.map((one) => one.name),
        "name"
      )
      const before = yield* makeable(column)
      return [{ ...about(client, table), action: "column", before, after: { ...before, name } } satisfies TableChange]
    }
    default: {
      const column = yield* knownColumn(table, yield* required("column", request.column, action), "column")
      const before = yield* makeable(column)
      const held: RowFilter = { filters: [{ columnName: column.name, condition: "neq", value: null }] }
      const rows = yield* keptRows(client, table, held)
      const emptied = updates(
        client,
        table,
        rows.map((row) => ({ row, after: { [column.name]: null } }))
      )
      const drop: TableChange = { ...about(client, table), action: "column", before, after: null }
      return [
        ...emptied.map((change): TableChange => (change.action === "update" ? { ...change, isFirst: true } : change)),
        drop
      ]
    }
  }
})

/** Plans a change of a data table. All of it is checked before, and nothing is sent. */
export const planTable = Effect.fn("planTable")(function* ({
  instance: name,
  ...request
}: Request & { readonly instance?: string | undefined }) {
  const client = yield* (yield* Instances).resolve(name)
  if (client.isReadOnly)
    return yield* new ReadOnlyInstance({ instance: client.instance, operation: "change_data_table" })
  yield* refuseMasked({ filter: request.filter, rows: request.rows, values: request.values })
  const plans = yield* WorkflowPlans
  const draft = changesOf(client, request).pipe(
    Effect.map(draftOf),
    Effect.catchIf(isWithoutTables, ({ problem: reason }) =>
      Effect.succeed({ kind: "table", steps: [], warnings: [], blocked: [{ what: request.table, reason }] })
    )
  )
  return yield* plans.keep(yield* draft)
})

/** The tool that plans changes of data tables. */
export const changeDataTable: Tool.Tool<Instances | WorkflowPlans> = masking(
  Tool.make("change_data_table", {
    title: "Change data table",
    description: "Plan a change of a data table; apply_plan makes it",
    annotations: reads,
    arguments: {
      instance: optional(text("Instance").annotate({ inputSchema: instanceSchema })),
      action: Schema.Literals(actions),
      table: text("").annotate({ inputSchema: { type: "string" } }),
      filter: optional(RowFilter.annotate({ inputSchema: { type: "object", description: "As in read_data_table" } })),
      values: optional(JsonObject.annotate({ inputSchema: { type: "object" } })),
      rows: optional(
        Schema.Array(JsonObject).annotate({
          inputSchema: { type: "array", items: { type: "object" }, description: "insert; upsert by column" }
        })
      ),
      column: optional(Schema.String),
      name: optional(Schema.String),
      columns: optional(
        Schema.Record(Schema.String, ColumnType).annotate({
          inputSchema: { type: "object", description: "New: {name: string|number|boolean|date}" }
        })
      )
    },
    result: Schema.Struct(results.summaryFields(Schema.Literal("table"), place)),
    run: Effect.fn("change_data_table")(function* (request) {
      const plan = yield* planTable(request)
      const { describing } = yield* WorkflowPlans
      return yield* summary(describing, plan)
    }, Effect.mapError(toPlanningFailure))
  })
)
