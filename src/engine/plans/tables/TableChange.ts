import { Array as Arrays, Schema, Struct } from "effect"

import type { CreatedId } from "../../../changes/Journal.ts"
import { Cells, ColumnType, NewColumn, RowFilter } from "../../workflow/dataTables.ts"

/** A table, or the step that creates it: anew, where that plan has deleted it, and else it is the former one. */
const TableRef = Schema.Union([
  Schema.String,
  Schema.Struct({
    created_by: Schema.String,
    later: Schema.optionalKey(Schema.Literal(true)),
    formerly: Schema.optionalKey(Schema.String)
  })
])
type TableRef = typeof TableRef.Type

const about = { kind: Schema.Literal("table"), instance: Schema.String, table: TableRef, name: Schema.String }

/** The place of a step among those of its action: no step changes more rows than a few. */
const part = { part: Schema.Int }

/** A row of an id; engines give the id of a deleted last row again, and then another creation time. */
const rowId = { id: Schema.Int, createdAt: Schema.optionalKey(Schema.String) }

/** Rows that are made, after the row that was the last one when this was planned; below 0 where that is not known yet. */
const Insert = Schema.Struct({
  ...about,
  ...part,
  action: Schema.Literal("insert"),
  rows: Schema.Array(Cells),
  after: Schema.Int,
  /** The rows that were to be deleted and that these bring back: those that are still there are not made again. */
  formerly: Schema.optionalKey(Schema.Array(Schema.Struct(rowId))),
  /** Of an upsert: nothing is made once this lets a row pass. */
  unless: Schema.optionalKey(RowFilter)
})

/** The values of rows before and after. */
const Update = Schema.Struct({
  ...about,
  ...part,
  action: Schema.Literal("update"),
  rows: Schema.Array(Schema.Struct({ ...rowId, before: Cells, after: Cells })),
  /** Whether it comes before the change of the column that it is about, or after it. */
  isFirst: Schema.optionalKey(Schema.Boolean)
})

const Remove = Schema.Struct({
  ...about,
  ...part,
  action: Schema.Literal("remove"),
  rows: Schema.Array(Schema.Struct({ ...rowId, values: Cells })),
  /** The step that has inserted them: their ids are known once that is done. */
  made_by: Schema.optionalKey(Schema.String)
})

const Create = Schema.Struct({
  kind: about.kind,
  instance: about.instance,
  name: about.name,
  action: Schema.Literal("create"),
  columns: Schema.Array(NewColumn),
  /** The deleted table that it makes anew. */
  formerly: Schema.optionalKey(Schema.String)
})

/** An empty table that is deleted. */
const Drop = Schema.Struct({ ...about, action: Schema.Literal("drop"), columns: Schema.Array(NewColumn) })

const Rename = Schema.Struct({
  ...about,
  action: Schema.Literal("rename"),
  before: Schema.String,
  after: Schema.String
})

const ColumnState = Schema.NullOr(
  Schema.Struct({ name: Schema.String, type: ColumnType, index: Schema.optionalKey(Schema.Int) })
)

/** A column that is made, renamed or deleted; a deleted one holds no values. */
const Column = Schema.Struct({ ...about, action: Schema.Literal("column"), before: ColumnState, after: ColumnState })

/** A change of a data table, of its columns or of some of its rows. */
export const TableChange = Schema.Union([Insert, Update, Remove, Create, Drop, Rename, Column])
export type TableChange = typeof TableChange.Type
export type TableChangeOf<A extends TableChange["action"]> = Extract<TableChange, { readonly action: A }>

/** The id of the table that a change is about, as far as it is known. */
export const tableIdOf = ({ table }: Exclude<TableChange, TableChangeOf<"create">>): string | undefined =>
  typeof table === "string" ? table : table.formerly

const refText = (ref: TableRef): string => (typeof ref === "string" ? ref : `<${ref.created_by}>`)

/** The id of the step for a change. */
export const tableChangeId = (change: TableChange): string => {
  const { action, instance } = change
  if (action === "create") return `create table ${instance}/${change.name}`
  const at = `${instance}/${refText(change.table)}`
  if (action === "drop") return `delete table ${at}`
  if (action === "rename") return `rename table ${at}`
  if (action === "column") return `column ${at}/${change.before?.name ?? "new"}/${change.after?.name ?? "none"}`
  return `${action === "remove" ? "delete" : action} rows ${at}/${change.part}`
}

/** The changes that undo one. Deleted rows and tables come back with new ids. */
export const invertTable = (change: TableChange): ReadonlyArray<TableChange> => {
  switch (change.action) {
    case "insert": {
      const { rows, ...rest } = Struct.omit(change, ["after", "formerly", "unless"])
      const made = { made_by: tableChangeId(change), rows: rows.map((values) => ({ id: 0, values })) }
      return [{ ...rest, ...made, action: "remove" }]
    }
    case "update":
      return [
        {
          ...change,
          ...(change.isFirst === undefined ? {} : { isFirst: !change.isFirst }),
          rows: change.rows.map((row) => ({ ...row, before: row.after, after: row.before }))
        }
      ]
    case "remove": {
      const { made_by: _, rows, ...rest } = change
      const formerly = rows.map((row) => Struct.omit(row, ["values"]))
      return [{ ...rest, action: "insert", rows: rows.map(({ values }) => values), after: -1, formerly }]
    }
    case "create":
      return [{ ...Struct.omit(change, ["formerly"]), action: "drop", table: { created_by: tableChangeId(change) } }]
    case "drop": {
      const { table, ...rest } = change
      return [{ ...rest, action: "create", ...(typeof table === "string" ? { formerly: table } : {}) }]
    }
    case "rename":
      return [{ ...change, before: change.after, after: change.before }]
    default:
      return [{ ...change, before: change.after, after: change.before }]
  }
}

/** The position of a change in a plan: rows go before what they are in, and come after it. */
export const tablePlace = (change: TableChange): ReadonlyArray<number> => {
  switch (change.action) {
    case "remove":
      return [12, 0]
    case "update":
      return [12, change.isFirst === true ? 0 : 4]
    case "drop":
      return [12, 1]
    // Workflows need their tables and rows before they are there themselves.
    case "create":
      return [0, 1]
    case "insert":
      return [0, 2]
    case "column":
      return [12, change.after === null ? 1 : 3]
    default:
      return [12, 3]
  }
}

/** The change with what earlier steps have created; nothing where that is not there. */
export const resolveTable = (
  change: TableChange,
  created: (step: string) => CreatedId | undefined
): TableChange | undefined => {
  if (change.action === "create") return change
  const { table: ref } = change
  const id = typeof ref === "string" ? ref : (created(ref.created_by) ?? (ref.later === true ? ref : undefined))
  if (id === undefined) return undefined
  const table = typeof id === "number" ? String(id) : id
  if (change.action === "insert") {
    // A table that was made anew has none of the former rows.
    const isAnew = typeof ref === "object" && ref.formerly !== undefined && ![ref, ref.formerly].includes(table)
    return { ...(isAnew ? Struct.omit(change, ["formerly"]) : change), table, after: lastBefore(change, created) }
  }
  if (change.action !== "remove" || change.made_by === undefined) return { ...change, table }
  const made = created(change.made_by)
  if (made === undefined) return undefined
  const ids = idsIn(String(made))
  const { made_by: _, ...rest } = change
  return { ...rest, table, rows: change.rows.map((row, place) => ({ ...row, id: ids[place] ?? 0 })) }
}

/** The row behind which an insertion comes: the last one of the step before it, so that not all rows of a plan are read for each. */
const lastBefore = (change: TableChangeOf<"insert">, created: (step: string) => CreatedId | undefined): number => {
  const ids = change.after < 0 ? undefined : created(tableChangeId({ ...change, part: change.part - 1 }))
  return ids === undefined ? change.after : Math.max(change.after, ...idsIn(String(ids)))
}

/** Ids of rows in few characters: `3-7,9`. */
export const idText = (ids: ReadonlyArray<number>): string => {
  const ranges: Array<[number, number]> = []
  for (const id of ids) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] + 1 === id) last[1] = id
    else ranges.push([id, id])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",")
}

const idsIn = (text: string): ReadonlyArray<number> =>
  text.split(",").flatMap((range) => {
    const [from = 0, to = from] = range.split("-").map(Number)
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, place) => from + place)
  })

/** Rows of one step: what deletes them, also in a rollback, names their ids in an address, which some take to 8 kB only. */
export const mostRows = { insert: 40, update: 100, remove: 40 } as const

/** Rows in the parts of which each is one step. */
export const parts = <A>(all: ReadonlyArray<A>, size: number) =>
  Arrays.chunksOf(all, size).map((rows, part) => ({ part, rows }))

/** Rows to insert into a table, which may be one that another step makes. */
export const insertionsInto = (
  table: Pick<TableChangeOf<"insert">, "instance" | "kind" | "name" | "table">,
  rows: ReadonlyArray<Cells>,
  after: number
): ReadonlyArray<TableChangeOf<"insert">> =>
  parts(rows, mostRows.insert).map((some) => ({ ...table, action: "insert", after, ...some }))

/** Rows that a plan shows of one step. */
const few = 3

/** A change before and after, as plans show it. */
export const describeTable = (change: TableChange) => {
  const { name: table } = change
  switch (change.action) {
    case "insert":
      return { before: null, after: { table, rows: change.rows.length, first: change.rows.slice(0, few) } }
    case "update":
      return {
        before: {
          table,
          rows: change.rows.length,
          first: change.rows.slice(0, few).map(({ before, id }) => ({ id, ...before }))
        },
        after: { table, first: change.rows.slice(0, few).map(({ after, id }) => ({ id, ...after })) }
      }
    case "remove":
      return {
        before: {
          table,
          rows: change.rows.length,
          first: change.rows.slice(0, few).map(({ id, values }) => ({ id, ...values }))
        },
        after: null
      }
    case "create":
      return { before: null, after: { table, columns: columnText(change.columns) } }
    case "drop":
      return { before: { table, columns: columnText(change.columns) }, after: null }
    case "rename":
      return { before: { table: change.before }, after: { table: change.after } }
    default:
      return { before: { table, column: change.before }, after: { table, column: change.after } }
  }
}

const columnText = (columns: ReadonlyArray<NewColumn>) => columns.map(({ name, type }) => `${name} ${type}`).join(", ")

/** The calls of the engine that carry out a change. */
export const tableCalls = (change: TableChange): ReadonlyArray<string> => {
  switch (change.action) {
    case "insert":
      return ["POST /data-tables/{}/rows"]
    case "update":
      return ["PATCH /data-tables/{}/rows/update"]
    case "remove":
      return ["DELETE /data-tables/{}/rows/delete"]
    case "create":
      return ["POST /data-tables"]
    case "drop":
      return ["DELETE /data-tables/{}"]
    case "rename":
      return ["PATCH /data-tables/{}"]
    default: {
      if (change.before === null) return ["POST /data-tables/{}/columns"]
      return [change.after === null ? "DELETE /data-tables/{}/columns/{}" : "PATCH /data-tables/{}/columns/{}"]
    }
  }
}

/** Whether a change makes something whose id is known only then. */
export const makesRows = ({ action }: TableChange): boolean => action === "insert" || action === "create"

/** The step without which a change cannot be made. */
export const creatorOf = (change: TableChange): string | undefined => {
  if (change.action === "create") return undefined
  return typeof change.table === "string" ? undefined : change.table.created_by
}

/** The deed of a rollback about a change. */
export const undoesTable = ({ action }: TableChange): string => {
  if (action === "insert") return "deletes the rows that the plan inserted"
  if (action === "remove") return "inserts the rows that the plan deleted, with new ids"
  if (action === "create") return "deletes the data table that the plan created"
  return action === "drop" ? "makes anew the data table that the plan deleted" : "puts back what was there before"
}
