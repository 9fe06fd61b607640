import { Effect } from "effect"

import { grouped } from "../../../internal/collections.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { ApiError, type EngineError, OutcomeUnknown } from "../../client/EngineError.ts"
import { isMissing } from "../../client/isMissing.ts"
import { idText, tableIdOf, type TableChange, type TableChangeOf } from "./TableChange.ts"
import { hasValues, judgementOf, missingRows, obstacleOf, ofIds, readState, sameRow, type State } from "./tableState.ts"

type Client = EngineClient["Service"]

/** Makes a change of a table, and answers the ids of what it has created. */
export const sendTable = Effect.fnUntraced(function* (
  client: Client,
  change: TableChange
): Effect.fn.Return<{ readonly created?: string }, EngineError> {
  if (change.action === "create") {
    const { id } = yield* client.createTable(change.name, change.columns)
    return { created: id }
  }
  // References are resolved before a change is sent.
  const id = tableIdOf(change) ?? ""
  if (change.action === "insert") {
    const rows = change.formerly === undefined ? change.rows : missingRows(change, yield* readState(client, change))
    return { created: rows.length === 0 ? "" : idText(yield* client.insertRows(id, rows)) }
  }
  const state = yield* readState(client, change)
  const judgement = judgementOf(change, state)
  const isLeft = judgement === "drift" || obstacleOf(change, state) !== undefined
  if (judgement === "pending" && !isLeft) yield* carryOut(client, id, change, state)
  return isLeft ? yield* changedMeanwhile(client, change) : {}
})

/** Makes what is still to do of a change, as it was just read: rows that are as wanted, or gone, are not touched. */
const carryOut = Effect.fnUntraced(function* (
  client: Client,
  id: string,
  change: Exclude<TableChange, TableChangeOf<"create" | "insert">>,
  { rows: present, table }: State
): Effect.fn.Return<unknown, EngineError> {
  switch (change.action) {
    case "update": {
      const left = change.rows.filter((row) => !hasValues(present.get(row.id), row.after))
      let isBegun = left.length < change.rows.length
      for (const rows of grouped(left, ({ after }) => JSON.stringify(after)).values()) {
        const filter = ofIds(rows.map((row) => row.id))
        const values = rows[0]?.after
        if (filter === undefined || values === undefined) continue
        const sent = client.updateRows(id, filter, values)
        // Once some rows are changed, the step is neither done nor refused: the next call goes on with the others.
        yield* isBegun ? Effect.mapError(sent, (error) => halfDone(client, error)) : sent
        isBegun = true
      }
      return undefined
    }
    case "remove": {
      const left = change.rows.filter((row) => sameRow(present, row) !== undefined)
      const filter = ofIds(left.map((row) => row.id))
      return filter === undefined ? undefined : yield* client.deleteRows(id, filter)
    }
    case "drop":
      return yield* Effect.catchIf(client.deleteTable(id), isMissing, () => Effect.succeed({}))
    case "rename":
      return yield* client.renameTable(id, change.after)
    default: {
      const { after, before } = change
      if (before === null) return after === null ? undefined : yield* client.createColumn(id, after)
      const column = table?.columns.find(({ name }) => name === before.name)
      if (column === undefined) return yield* changedMeanwhile(client, change)
      return yield* after === null ? client.deleteColumn(id, column.id) : client.renameColumn(id, column.id, after.name)
    }
  }
})

const changedMeanwhile = ({ instance }: Client, { name }: TableChange) =>
  new ApiError({
    instance,
    httpStatus: 409,
    problem: `somebody else has changed the data table ${name} meanwhile, and it stays as it is`,
    apiResponse: null
  })

const halfDone = ({ instance }: Client, { message }: EngineError) =>
  new OutcomeUnknown({
    instance,
    operation: "update rows",
    problem: `some rows are changed, others not yet: ${message}`
  })
