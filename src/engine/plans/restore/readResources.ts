import { Effect, Option, Result, Schema, Struct } from "effect"

import { type JsonObject, objectsOf } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { KeptList } from "../../client/History.ts"
import { unreadable } from "../../operator/history/historyErrors.ts"
import { foldersOf, variablesOf } from "../../operator/history/keptLists.ts"
import { cellOf } from "../../workflow/cells.ts"
import { columnsOf, DataTable, Row } from "../../workflow/dataTables.ts"
import type { Listing } from "../promotion/Input.ts"
import { tablesOf } from "../promotion/readResources.ts"
import type { KeptRows, KeptVariable, RestoredResources } from "./resources.ts"

type Client = EngineClient["Service"]

const asTable = Schema.decodeUnknownOption(DataTable)
const asThing = Schema.decodeUnknownOption(
  Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    projectId: Schema.optional(Schema.String),
    parentFolderId: Schema.optional(Schema.NullOr(Schema.String))
  })
)
const thingsIn = (items: ReadonlyArray<JsonObject>) => items.flatMap((item) => Option.toArray(asThing(item)))

const nowhere = Result.succeed({ projects: [], folders: [] })
const asRow = Schema.decodeUnknownOption(Row)

/** Rows as they fit a table, whose columns may have changed since these rows were kept. */
const keptRows = (table: DataTable, rows: ReadonlyArray<Row>): KeptRows => {
  const columns = columnsOf(table)
  const unplaced = new Set<string>()
  const cells = rows.map((row) => {
    const values = Object.entries(Struct.omit(row, ["id"])).flatMap(([name, value]) => {
      const column = columns.find((one) => one.name === name)
      const cell = Option.flatMap(Option.fromUndefinedOr(column), (one) => Result.getSuccess(cellOf(one, value)))
      if (Option.isNone(cell) && value !== null) unplaced.add(name)
      return Option.toArray(Option.map(cell, (one) => [name, one] as const))
    })
    return Object.fromEntries(values)
  })
  return { cells, unplaced: [...unplaced] }
}

/** Things that a backup has kept beside workflows and tags, with those that the instance has now. */
export const readResources = Effect.fnUntraced(function* (client: Client, version: string) {
  const { history } = client
  const listAt = (list: KeptList) => Effect.mapError(history.listAt(version, list), unreadable)
  const tables = (yield* listAt({ list: "data-tables" })).flatMap((item) => {
    const columns = objectsOf(item["columns"]).map((column, index) => ({ id: "", index, ...column }))
    return Option.toArray(asTable({ ...item, columns }))
  })
  const presentTables: Listing<DataTable> = tables.length === 0 ? { items: [] } : yield* tablesOf(client)
  const present = new Set(presentTables.items.map(({ id }) => id))
  const rows = yield* Effect.forEach(
    tables.filter(({ id }) => !present.has(id)),
    Effect.fnUntraced(function* (table) {
      const kept = yield* listAt({ list: "rows", table })
      return [
        table.id,
        keptRows(
          table,
          kept.flatMap((item) => Option.toArray(asRow(item)))
        )
      ] as const
    })
  )
  const variables = thingsIn(yield* listAt({ list: "variables" }))
  const folders = thingsIn(yield* listAt({ list: "folders" }))
  const presentVariables = variables.length === 0 ? Result.succeed([]) : yield* variablesOf(client)
  const isInProject = ({ projectId }: KeptVariable) => projectId !== undefined
  const needsProjects = folders.length > 0 || variables.some(isInProject)
  const presentFolders = needsProjects ? yield* foldersOf(client) : nowhere
  return {
    tables,
    presentTables,
    rows: new Map(rows.filter(([, { cells }]) => cells.length > 0)),
    variables: {
      recorded: variables,
      ...Result.match(presentVariables, {
        onFailure: (unread) => ({ present: [], unread }),
        onSuccess: (items) => ({ present: thingsIn(items) })
      })
    },
    values: new Map(),
    folders: {
      recorded: folders,
      ...Result.match(presentFolders, {
        onFailure: (unread) => ({ present: [], projects: [], unread }),
        onSuccess: (seen) => ({ present: thingsIn(seen.folders), projects: seen.projects })
      })
    }
  } satisfies RestoredResources
})
