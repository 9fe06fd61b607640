import { Array as Arrays, Effect, Result } from "effect"

import type { CreatedId } from "../../../changes/Journal.ts"
import { changedSince, type Judgement, type LostCreation } from "../../../changes/RemoteState.ts"
import { isSameJson } from "../../../internal/json/digest.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { firstPages, provingPage } from "../../client/listAll.ts"
import type { RowQuery } from "../../client/tableCalls.ts"
import { allTables, matchingRows, readTable } from "../../tools/dataTables.ts"
import {
  anyOf,
  type Cells,
  checkedFilter,
  columnsOf,
  type DataTable,
  type NewColumn,
  partsForAddress,
  type Row,
  type RowFilter,
  valuesIn
} from "../../workflow/dataTables.ts"
import { idText, mostRows, type TableChange, type TableChangeOf, tableChangeId, tableIdOf } from "./TableChange.ts"

type Client = EngineClient["Service"]

export const ofIds = (ids: ReadonlyArray<number>): RowFilter | undefined => anyOf("id", ids)

/** A table as it is, with the rows that a change is about by their ids. */
export interface State {
  readonly table: DataTable | undefined
  readonly rows: ReadonlyMap<number, Row>
  /** Whether rows are there that an upsert was to make. */
  readonly isTaken?: boolean
}

const nothing: State = { table: undefined, rows: new Map() }

/** A page of rows from which it follows which are not there. */
const pageOf = (client: Client, table: string, query: RowQuery) => provingPage(client)(client.listRows(table, query))

/** All rows that a filter lets pass, or all there are. */
const rowsBy = (client: Client, table: string, filter: RowFilter) =>
  Effect.map(
    firstPages(
      (query) => pageOf(client, table, { ...query, filter }),
      { pages: Infinity },
      (rows: ReadonlyArray<Row>) => rows
    ),
    ({ matches }) => matches
  )

/** Whether there is a row at all, or one that a filter lets pass. */
const anyRow = (client: Client, table: string, filter?: RowFilter) =>
  Effect.map(pageOf(client, table, { limit: 1, filter }), ({ data }) => data)

/** Rows of these ids: those in between come along where they are few. */
const rowsOfIds = Effect.fnUntraced(function* (client: Client, table: string, ids: ReadonlyArray<number>) {
  if (ids.length === 0) return []
  const [least, greatest] = [Math.min(...ids), Math.max(...ids)]
  const between: RowFilter = {
    type: "and",
    filters: [
      { columnName: "id", condition: "gte", value: least },
      { columnName: "id", condition: "lte", value: greatest }
    ]
  }
  if (greatest - least < 5 * ids.length) return yield* rowsBy(client, table, between)
  const some = yield* Effect.forEach(Arrays.chunksOf(ids, mostRows.remove), (part) => {
    const filter = ofIds(part)
    return filter === undefined ? Effect.succeed([]) : rowsBy(client, table, filter)
  })
  return some.flat()
})

/** The state of the table that a change is about. */
export const readState = Effect.fnUntraced(function* (client: Client, change: TableChange) {
  if (change.action === "create") {
    const tables = yield* allTables(client)
    const former = tables.find(({ id }) => id === change.formerly)
    return { table: former ?? tables.find(({ name }) => name === change.name), rows: new Map() } satisfies State
  }
  const id = tableIdOf(change)
  if (id === undefined) return nothing
  const table = yield* readTable(client, id)
  if (table === undefined) return nothing
  const rows = yield* readRows(client, table, change)
  const unless = change.action === "insert" ? change.unless : undefined
  const isTaken = unless !== undefined && (yield* isAnyOf(client, table, unless))
  return { table, rows: new Map(rows.map((row) => [row.id, row])), isTaken } satisfies State
})

/** Whether a filter lets a row pass, or cannot be asked any more. */
const isAnyOf = Effect.fnUntraced(function* (client: Client, table: DataTable, filter: RowFilter) {
  const checked = Result.getOrUndefined(checkedFilter(table, filter))
  if (checked === undefined) return true
  const { filters, type } = checked
  const parts = type === "and" ? [filters] : partsForAddress(filters)
  const matches = yield* Effect.forEach(parts, (some) => matchingRows(client, table, { type, filters: some }, 0))
  return matches.flat().length > 0
})

const readRows = (
  client: Client,
  { columns, id: table }: DataTable,
  change: Exclude<TableChange, TableChangeOf<"create">>
) => {
  switch (change.action) {
    case "update":
    case "remove":
      return rowsOfIds(
        client,
        table,
        change.rows.map(({ id }) => id)
      )
    case "insert": {
      const later = { columnName: "id", condition: "gt", value: change.after } as const
      const formerIds = (change.formerly ?? []).map(({ id }) => id)
      return Effect.map(
        Effect.all([
          // Where the last rows were deleted since it was planned, these get their ids.
          Effect.map(pageOf(client, table, { limit: change.rows.length, sortBy: "id:desc" }), ({ data }) => data),
          change.after < 0 ? Effect.succeed([]) : rowsBy(client, table, { filters: [later] }),
          rowsOfIds(client, table, formerIds)
        ]),
        (some) => some.flat()
      )
    }
    case "drop":
      return anyRow(client, table)
    case "column": {
      const { after, before } = change
      const isThere = before !== null && columns.some(({ name }) => name === before.name)
      return !isThere || after !== null
        ? Effect.succeed([])
        : anyRow(client, table, { filters: [{ columnName: before.name, condition: "neq", value: null }] })
    }
    default:
      return Effect.succeed([])
  }
}

/** The state of the tables that the changes of one batch are about. */
export const readTables = Effect.fnUntraced(function* (client: Client, changes: ReadonlyArray<TableChange>) {
  const states = new Map<string, State>(
    yield* Effect.forEach(changes, (change) =>
      Effect.map(readState(client, change), (state) => [tableChangeId(change), state] as const)
    )
  )
  const stateOf = (change: TableChange) => states.get(tableChangeId(change)) ?? nothing
  return {
    judge: (change: TableChange): Judgement => judgementOf(change, stateOf(change)),
    obstacle: (change: TableChange): string | undefined => obstacleOf(change, stateOf(change)),
    withPresent: (change: TableChange): TableChange =>
      change.action === "insert" ? { ...change, after: Math.max(0, ...stateOf(change).rows.keys()) } : change,
    latest: (change: TableChange): number | undefined =>
      change.action === "insert" ? Math.max(0, ...stateOf(change).rows.keys()) : undefined,
    lost: (change: TableChange, latest: CreatedId | undefined): LostCreation => lostIn(change, stateOf(change), latest),
    explain: (change: TableChange): string => {
      const { isTaken, table } = stateOf(change)
      if (isTaken === true) return "what it was to insert is there by now: plan again"
      if (change.action === "create") return "there is a data table of this name by now: plan again"
      return table === undefined ? "its data table is not there any more" : changedSince
    }
  }
})

export const hasValues = (row: Row | undefined, values: Readonly<Record<string, unknown>>): boolean =>
  row !== undefined && Object.entries(values).every(([name, value]) => isSameJson(row[name] ?? null, value ?? null))

/** The row of a change, unless another one has got its id. */
export const sameRow = (
  rows: State["rows"],
  { createdAt, id }: { readonly id: number; readonly createdAt?: string }
) => {
  const row = rows.get(id)
  return createdAt === undefined || row?.["createdAt"] === createdAt ? row : undefined
}

/** Whether a row holds these values and nothing else. */
const hasOnly = (row: Row, values: Cells, table: DataTable): boolean =>
  hasValues(row, values) &&
  Object.entries(valuesIn(row, columnsOf(table))).every(([name, cell]) => isSameJson(cell, values[name] ?? null))

const hasColumns = (table: DataTable, columns: ReadonlyArray<NewColumn>): boolean =>
  isSameJson(
    columnsOf(table).map(({ name, type }) => [name, type]),
    columns.map(({ name, type }) => [name, type])
  )

/** The rows of an insertion without those that it was to bring back and that are still there. */
export const missingRows = ({ formerly, rows: wanted }: TableChangeOf<"insert">, { rows }: State) =>
  wanted.filter((values, place) => {
    const former = formerly?.[place]
    const row = former === undefined ? undefined : sameRow(rows, former)
    return row === undefined || (former?.createdAt === undefined && !hasValues(row, values))
  })

/** The reason for which a table or a column is not deleted, although it is as planned. */
export const obstacleOf = ({ action }: TableChange, { rows }: State): string | undefined => {
  if (rows.size === 0) return undefined
  if (action === "drop") return "there are rows in it by now, so that it stays"
  return action === "column" ? "there are values in it by now, so that it stays" : undefined
}

/** Whether a change is still to do, as its table shows. */
export const judgementOf = (change: TableChange, state: State): Judgement => {
  const { isTaken, rows, table } = state
  if (change.action === "create") {
    if (table === undefined) return "pending"
    return table.id === change.formerly ? "already" : "drift"
  }
  if (table === undefined && typeof change.table !== "string") return "pending"
  if (table === undefined) return change.action === "drop" || change.action === "remove" ? "already" : "drift"
  switch (change.action) {
    case "insert":
      if (missingRows(change, state).length === 0) return "already"
      return isTaken === true ? "drift" : "pending"
    case "update": {
      const pairs = change.rows.map((row) => ({ row, present: sameRow(rows, row) }))
      if (pairs.every(({ present, row }) => present !== undefined && hasValues(present, row.after))) return "already"
      const isAsPlanned = pairs.every(
        ({ present, row }) => present !== undefined && (hasValues(present, row.before) || hasValues(present, row.after))
      )
      return isAsPlanned ? "pending" : "drift"
    }
    case "remove": {
      const present = change.rows.flatMap((row) => {
        const match = sameRow(rows, row)
        return match === undefined ? [] : [hasOnly(match, row.values, table)]
      })
      return present.length === 0 ? "already" : present.includes(false) ? "drift" : "pending"
    }
    case "drop":
      return table.name === change.name && hasColumns(table, change.columns) ? "pending" : "drift"
    case "rename":
      return table.name === change.after ? "already" : table.name === change.before ? "pending" : "drift"
    default: {
      const typeOf = (name: string | undefined) => columnsOf(table).find((column) => column.name === name)?.type
      const { after, before } = change
      const [now, then] = [typeOf(before?.name), typeOf(after?.name)]
      if (before === null) return then === after?.type ? "already" : then === undefined ? "pending" : "drift"
      if (after === null) return now === undefined ? "already" : now === before.type ? "pending" : "drift"
      if (now === undefined && then === after.type) return "already"
      return now === before.type && then === undefined ? "pending" : "drift"
    }
  }
}

/** The creation of a call whose answer was lost, as far as it shows. */
const lostIn = (change: TableChange, state: State, latest: CreatedId | undefined): LostCreation => {
  const { rows, table } = state
  if (table === undefined) return {}
  if (change.action === "create") {
    const isIt = table.id === change.formerly || hasColumns(table, change.columns)
    return isIt ? { created: table.id } : { others: "there is another data table of this name" }
  }
  if (change.action !== "insert") return {}
  const last = typeof latest === "number" ? latest : change.after
  const later = [...rows.values()].filter(({ id }) => id > last).sort((a, b) => a.id - b.id)
  const wanted = missingRows(change, state)
  const made: Array<number> = []
  for (const row of later) {
    const values = wanted[made.length]
    if (values !== undefined && hasValues(row, values)) made.push(row.id)
  }
  return made.length === wanted.length ? { created: idText(made) } : {}
}

/** The rows of a change as they are, with the values that it keeps. */
export const keptRow = (row: Row, table: DataTable) => {
  const createdAt = row["createdAt"]
  return {
    id: row.id,
    ...(typeof createdAt === "string" ? { createdAt } : {}),
    values: valuesIn(row, columnsOf(table))
  }
}
