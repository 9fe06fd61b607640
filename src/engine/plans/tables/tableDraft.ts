import { Effect } from "effect"

import type { EngineClient } from "../../client/EngineClient.ts"
import { anyOf, type Cells, type DataTable, type RowFilter } from "../../workflow/dataTables.ts"
import { relinkMadeAnew } from "../madeAnew.ts"
import { type Draft, stepOf } from "../Step.ts"
import { insertionsInto, mostRows, parts, type TableChange } from "./TableChange.ts"
import type { keptRow } from "./tableState.ts"

type Client = EngineClient["Service"]

export const about = ({ instance }: Client, { id, name }: DataTable) =>
  ({ kind: "table", instance, table: id, name }) as const

/** The highest id of a row so far. */
const lastId = ({ listRows }: Client, { id }: DataTable) =>
  Effect.map(listRows(id, { limit: 1, sortBy: "id:desc" }), ({ data }) => data[0]?.id ?? 0)

/** Rows to insert; of an upsert, `unless` tells of some of them by which filter they may be there meanwhile. */
export const insertions = Effect.fnUntraced(function* (
  client: Client,
  table: DataTable,
  rows: ReadonlyArray<Cells>,
  unless?: (some: ReadonlyArray<Cells>) => RowFilter | undefined
) {
  const after = rows.length === 0 ? 0 : yield* lastId(client, table)
  return insertionsInto(about(client, table), rows, after).map((insertion): TableChange => {
    const others = unless?.(insertion.rows)
    return others === undefined ? insertion : { ...insertion, unless: others }
  })
})

/** The filter for rows that have the key of one of these in a column. */
export const ofKeys =
  (columnName: string) =>
  (rows: ReadonlyArray<Cells>): RowFilter | undefined =>
    anyOf(
      columnName,
      rows.map((row) => row[columnName] ?? null)
    )

type Kept = ReturnType<typeof keptRow>

/** Changes of rows to these values, without those that have them already. */
export const updates = (
  client: Client,
  table: DataTable,
  rows: ReadonlyArray<{ readonly row: Kept; readonly after: Cells }>
): ReadonlyArray<TableChange> => {
  const changed = rows.flatMap(({ after, row }) => {
    const names = Object.keys(after).filter((name) => row.values[name] !== after[name])
    const { values: _, ...identity } = row
    const of = (cells: Cells): Cells => Object.fromEntries(names.map((name) => [name, cells[name] ?? null]))
    return names.length === 0 ? [] : [{ ...identity, before: of(row.values), after: of(after) }]
  })
  return parts(changed, mostRows.update).map((some) => ({ ...about(client, table), action: "update", ...some }))
}

export const removals = (client: Client, table: DataTable, rows: ReadonlyArray<Kept>): ReadonlyArray<TableChange> =>
  parts(rows, mostRows.remove).map((some) => ({ ...about(client, table), action: "remove", ...some }))

export const draftOf = (changes: ReadonlyArray<TableChange>): Draft => ({
  kind: "table",
  steps: relinkMadeAnew(changes.map((change) => stepOf(change, "asked for"))),
  warnings: [
    ...(changes.length === 0 ? ["Nothing is to be changed: no row is meant, or all are so already"] : []),
    ...(changes.some(({ action }) => action === "remove") ? ["A rollback brings deleted rows back with new ids"] : []),
    ...(changes.some(({ action }) => action === "drop")
      ? ["A rollback makes the table anew, under a new id: workflows that name it by id do not find it"]
      : [])
  ],
  blocked: []
})
