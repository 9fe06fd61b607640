import { Effect, Schema, Struct } from "effect"

import * as results from "../../../changes/tools/results.ts"
import { summary } from "../../../changes/tools/summary.ts"
import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { reads } from "../../../mcp/annotations.ts"
import { masking } from "../../../mcp/masking.ts"
import * as Tool from "../../../mcp/Tool.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { ReadOnlyInstance } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import { allTables, findTable, isWithoutTables } from "../../tools/dataTables.ts"
import { instanceSchema } from "../../tools/overInstances.ts"
import { optional, text } from "../../tools/parameters.ts"
import { refuseMasked } from "../../tools/refuseMasked.ts"
import {
  type Cells,
  columnProblem,
  columnsOf,
  ColumnType,
  type DataTable,
  isColumnType,
  type NewColumn,
  RowFilter,
  tableNameProblem
} from "../../workflow/dataTables.ts"
import { toPlanningFailure } from "../failures.ts"
import { WorkflowPlans } from "../Plans.ts"
import { place } from "../Step.ts"
import { checkedRows, invalid, keptRows, knownColumn, required, rowChanges, type RowRequest } from "./rowChanges.ts"
import { insertionsInto, type TableChange, tableChangeId } from "./TableChange.ts"
import { about, draftOf, insertions, removals, updates } from "./tableDraft.ts"

type Client = EngineClient["Service"]

const actions = [
  "insert",
  "update",
  "upsert",
  "delete",
  "create_table",
  "copy_table",
  "rename_table",
  "delete_table",
  "add_columns",
  "rename_column",
  "delete_column"
] as const

interface Request extends RowRequest {
  readonly action: (typeof actions)[number]
  readonly table: string
  readonly name?: string | undefined
  readonly columns?: Readonly<Record<string, ColumnType>> | undefined
  readonly to?: string | undefined
}

/** The arguments of each action beside its table. */
const takes: { readonly [action in Request["action"]]: ReadonlyArray<string> } = {
  insert: ["rows", "values"],
  update: ["filter", "values", "rows", "column"],
  upsert: ["filter", "values", "rows", "column"],
  delete: ["filter"],
  create_table: ["columns", "rows"],
  copy_table: ["to", "name"],
  rename_table: ["name"],
  delete_table: [],
  add_columns: ["columns", "filter", "values", "rows", "column"],
  rename_column: ["column", "name"],
  delete_column: ["column"]
}

/** Refuses an argument that an action does not take: what is not done must not be taken for done. */
const holdToAction = (request: Request) => {
  const { action } = request
  const given = Object.entries(Struct.omit(request, ["action", "table"])).filter(([, value]) => value !== undefined)
  const stray = given.find(([name]) => !takes[action].includes(name))
  if (stray !== undefined) {
    const others = takes[action].length === 0 ? "nothing" : takes[action].join(", ")
    return Effect.fail(invalid(stray[0], `is not taken by ${action}, which takes ${others} beside the table`))
  }
  if (request.rows !== undefined && (request.filter ?? request.values) !== undefined) {
    return Effect.fail(invalid("rows", "go without filter and values: each row has its own values"))
  }
  const isFilled = request.rows !== undefined || request.values !== undefined
  if (action === "add_columns" && request.filter !== undefined && !isFilled) {
    return Effect.fail(invalid("filter", "goes with values, which fill the new columns of these rows"))
  }
  return request.column !== undefined && request.rows === undefined && takes[action].includes("rows")
    ? Effect.fail(invalid("column", "goes with rows, which it tells apart"))
    : Effect.void
}

const newColumn = (name: string, others: ReadonlyArray<string>, argument: string) => {
  const problem = columnProblem(name, others)
  return problem === undefined ? Effect.succeed(name) : Effect.fail(invalid(argument, problem))
}

/** A name of a table that is free, as engines take it. */
const freeName = Effect.fnUntraced(function* (client: Client, given: string, argument: string) {
  const name = given.trim()
  const problem = tableNameProblem(name)
  if (problem !== undefined) return yield* invalid(argument, problem)
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

/** A new table with these rows. */
const creation = (
  { instance }: Client,
  name: string,
  columns: ReadonlyArray<NewColumn>,
  rows: ReadonlyArray<Cells>
): ReadonlyArray<TableChange> => {
  const create = { kind: "table", instance, action: "create", name, columns } as const
  const table = { created_by: tableChangeId(create) }
  return [create, ...insertionsInto({ kind: "table", instance, table, name }, rows, 0)]
}

/** A table as it is once it has these columns beside its own. */
const widened = (table: DataTable, columns: ReadonlyArray<NewColumn>): DataTable => ({
  ...table,
  columns: [
    ...table.columns,
    ...columns.map((column, place) => ({ id: "", index: table.columns.length + place, ...column }))
  ]
})

/** The column of a table as one that can be made anew. */
const makeable = ({ index, name, type }: ReturnType<typeof columnsOf>[number]) =>
  isColumnType(type)
    ? Effect.succeed({ name, type, index })
    : Effect.fail(invalid("column", `${name} is of a type (${type}) that cannot be made again`))

/** A change of values that comes before the change of columns, or after it. */
const inOrder = (change: TableChange, isFirst: boolean): TableChange =>
  change.action === "update" ? { ...change, isFirst } : change

const everyRow: RowFilter = { filters: [{ columnName: "id", condition: "gt", value: 0 }] }

const noTable: DataTable = { id: "", name: "", columns: [] }

const changesOf = Effect.fnUntraced(function* (client: Client, target: Client, request: Request) {
  const { action } = request
  if (action === "create_table") {
    const name = yield* freeName(client, request.table, "table")
    const columns = yield* newColumns(undefined, yield* required("columns", request.columns, action))
    return creation(client, name, columns, yield* checkedRows(widened(noTable, columns), request.rows ?? []))
  }
  const table = yield* findTable(client, request.table)
  switch (action) {
    case "insert": {
      const rows = request.rows ?? (request.values === undefined ? undefined : [request.values])
      return yield* insertions(client, table, yield* checkedRows(table, yield* required("rows", rows, action)))
    }
    case "update":
    case "upsert":
      return yield* rowChanges(client, table, request, action)
    case "delete":
      return removals(client, table, yield* keptRows(client, table, yield* required("filter", request.filter, action)))
    case "delete_table": {
      const rows = yield* keptRows(client, table, undefined, { argument: "table" })
      const columns = yield* Effect.forEach(columnsOf(table), makeable)
      const drop: TableChange = { ...about(client, table), action: "drop", columns }
      return [...removals(client, table, rows), drop]
    }
    case "copy_table": {
      const name = yield* freeName(target, request.name ?? table.name, request.name === undefined ? "table" : "name")
      const columns = yield* Effect.forEach(columnsOf(table), makeable)
      const rows = yield* keptRows(client, table, undefined, { argument: "table" })
      return creation(
        target,
        name,
        columns,
        rows.map(({ values }) => values)
      )
    }
    case "rename_table": {
      const after = yield* freeName(client, yield* required("name", request.name, action), "name")
      return [{ ...about(client, table), action: "rename", before: table.name, after } satisfies TableChange]
    }
    case "add_columns": {
      const columns = yield* newColumns(table, yield* required("columns", request.columns, action))
      const added = columns.map((after): TableChange => ({
        ...about(client, table),
        action: "column",
        before: null,
        after
      }))
      if (request.rows === undefined && request.values === undefined) return added
      const { filter = everyRow } = request
      const meant = request.rows === undefined ? { ...request, filter } : request
      const filled = yield* rowChanges(client, table, meant, "update", widened(table, columns))
      return [...added, ...filled.map((change) => inOrder(change, false))]
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
      const rows = yield* keptRows(client, table, held, { argument: "column" })
      const emptied = updates(
        client,
        table,
        rows.map((row) => ({ row, after: { [column.name]: null } }))
      )
      const drop: TableChange = { ...about(client, table), action: "column", before, after: null }
      return [...emptied.map((change) => inOrder(change, true)), drop]
    }
  }
})

/** Plans a change of a data table. All of it is checked before, and nothing is sent. */
export const planTable = Effect.fn("planTable")(function* ({
  instance: name,
  ...request
}: Request & { readonly instance?: string | undefined }) {
  const instances = yield* Instances
  const client = yield* instances.resolve(name)
  const target = request.to === undefined ? client : yield* instances.resolve(request.to)
  if (target.isReadOnly)
    return yield* new ReadOnlyInstance({ instance: target.instance, operation: "change_data_table" })
  yield* holdToAction(request)
  yield* refuseMasked({ filter: request.filter, rows: request.rows, values: request.values })
  const plans = yield* WorkflowPlans
  const draft = changesOf(client, target, request).pipe(
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
    description: "Plan a change of a data table",
    annotations: reads,
    arguments: {
      instance: optional(text("Instance").annotate({ inputSchema: instanceSchema })),
      action: Schema.Literals(actions),
      table: text("").annotate({ inputSchema: { type: "string" } }),
      filter: optional(RowFilter.annotate({ inputSchema: { type: "object", description: "As in read_data_table" } })),
      values: optional(JsonObject.annotate({ inputSchema: { type: "object" } })),
      rows: optional(
        Schema.Array(JsonObject).annotate({
          inputSchema: { type: "array", items: { type: "object" }, description: "Known by column, or new" }
        })
      ),
      column: optional(Schema.String),
      name: optional(Schema.String),
      to: optional(Schema.String.annotate({ inputSchema: { type: "string", description: "Instance" } })),
      columns: optional(
        Schema.Record(Schema.String, ColumnType).annotate({
          inputSchema: { type: "object", description: "{name: string|number|boolean|date}" }
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
