import { Effect, Option, Schema } from "effect"

import { objectsOf } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { KeptList } from "../../client/History.ts"
import { unreadable } from "../../operator/history/historyErrors.ts"
import { columnsOf, DataTable, Row, valuesIn } from "../../workflow/dataTables.ts"
import type { Listing } from "../promotion/Input.ts"
import { tablesOf } from "../promotion/readResources.ts"
import type { RestoredResources } from "./resources.ts"

type Client = EngineClient["Service"]

const asTable = Schema.decodeUnknownOption(DataTable)
const asRow = Schema.decodeUnknownOption(Row)

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
      const cells = kept.flatMap((item) => Option.toArray(asRow(item)))
      return [table.id, cells.map((row) => valuesIn(row, columnsOf(table)))] as const
    })
  )
  return {
    tables,
    presentTables,
    rows: new Map(rows.filter(([, kept]) => kept.length > 0))
  } satisfies RestoredResources
})
