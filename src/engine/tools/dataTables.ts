import { Effect, Option, Result } from "effect"

import { InvalidArgument } from "../../mcp/ToolError.ts"
import type { EngineClient } from "../client/EngineClient.ts"
import { ApiError } from "../client/EngineError.ts"
import { isMissing } from "../client/isMissing.ts"
import { firstPages, listWholeIfSupported } from "../client/listAll.ts"
import {
  type CheckedFilter,
  checkedFilter,
  type DataTable,
  passes,
  type Row,
  type RowFilter,
  sentFilter,
  tableNamed
} from "../workflow/dataTables.ts"

type Client = EngineClient["Service"]

/** Said of an engine that has no data tables. */
const noTables = (instance: string) =>
  `the API of the engine of ${instance} has no data tables: they came with generation 2`

/** The value, or that this engine has no data tables. */
export const orNoTables = <A>({ instance }: Client, value: Option.Option<A>): Effect.Effect<A, ApiError> =>
  Option.match(value, {
    onSome: Effect.succeed,
    onNone: () =>
      Effect.fail(new ApiError({ instance, httpStatus: 404, problem: noTables(instance), apiResponse: null }))
  })

/** Whether that is what a failure says. */
export const isWithoutTables = (error: { readonly _tag: string }): error is ApiError =>
  error instanceof ApiError && error.problem === noTables(error.instance)

/** Every data table that the key may see. */
export const allTables = Effect.fnUntraced(function* (client: Client) {
  yield* client.requireRights(["GET /data-tables"])
  return yield* orNoTables(client, yield* listWholeIfSupported(client, client.listTablesIfSupported))
})

/** Fails with the scope that the key lacks to read rows, as far as the engine tells. */
export const requireRows = ({ requireRights }: Client) => requireRights(["GET /data-tables/{}/rows"])

const isId = /^[A-Za-z0-9]{16}$/

const invalid = (argument: string) => (problem: string) => new InvalidArgument({ argument, problem })

/** The table of an id; nothing only where the engine says so and its list of tables shows it, too. */
export const readTable = (client: Client, id: string) =>
  Effect.catchIf(client.getTable(id), isMissing, () =>
    Effect.map(allTables(client), (tables) => tables.find((table) => table.id === id))
  )

/** The data table of an id or a name. */
export const findTable = Effect.fnUntraced(function* (client: Client, given: string) {
  const byId = isId.test(given)
    ? yield* Effect.option(Effect.catchIf(client.getTable(given), isMissing, () => Effect.fail("none" as const)))
    : Option.none()
  if (Option.isSome(byId)) return byId.value
  return yield* Effect.fromResult(Result.mapError(tableNamed(yield* allTables(client), given), invalid("table")))
})

/** Characters of a filter in an address, which engines take to 16 kB at most. */
const mostOfAddress = 12_000

/** A filter that fits a table, and an address. */
export const filterFor = (table: DataTable, filter: RowFilter) =>
  Effect.filterOrFail(
    Effect.fromResult(Result.mapError(checkedFilter(table, filter), invalid("filter"))),
    (checked) => encodeURIComponent(JSON.stringify(sentFilter(checked) ?? {})).length <= mostOfAddress,
    () => invalid("filter")("is longer than engines take: use fewer conditions, or shorter values")
  )

/** The parts that are kept of the rows that a filter lets pass: of all of them, or of a few more than wanted, so that too many are noticed. */
const keptOfRows = Effect.fnUntraced(function* <A>(
  client: Client,
  { id }: DataTable,
  { filter, search }: { readonly filter: CheckedFilter | undefined; readonly search?: string | undefined },
  most: number,
  kept: (row: Row) => A
) {
  yield* requireRows(client)
  const isWanted = filter === undefined ? () => true : passes(filter)
  const sent = filter === undefined ? undefined : sentFilter(filter)
  let count = 0
  const { matches } = yield* firstPages(
    (query) => client.listRows(id, { ...query, filter: sent, search }),
    { pages: Infinity, isEnough: (picked) => (count += picked) > most },
    (rows: ReadonlyArray<Row>) => rows.filter(isWanted).map(kept)
  )
  return matches
})

/** Rows that a filter lets pass, all or a few more than wanted. */
export const matchingRows = (client: Client, table: DataTable, filter: CheckedFilter | undefined, most: number) =>
  keptOfRows(client, table, { filter }, most, (row) => row)

/** The number of rows that a filter and a search let pass, exact up to a number. */
export const countRows = (
  client: Client,
  table: DataTable,
  wanted: { readonly filter: CheckedFilter | undefined; readonly search: string | undefined },
  most: number
) =>
  Effect.map(
    keptOfRows(client, table, wanted, most, () => 1),
    (rows) => rows.length
  )
