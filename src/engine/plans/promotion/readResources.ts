import { Effect } from "effect"

import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { allTables, isWithoutTables, matchingRows } from "../../tools/dataTables.ts"
import { columnsOf, type DataTable, valuesIn } from "../../workflow/dataTables.ts"
import { tableUses } from "../../workflow/resources.ts"
import { mostChanged } from "../tables/TableChange.ts"
import { chooseWorkflows } from "./chooseWorkflows.ts"
import { counterpartFinder } from "./counterparts.ts"
import { type Input, type Listing, noResources } from "./Input.ts"
import { linkTables } from "./resources.ts"

type Client = EngineClient["Service"]

/** What goes along beside what workflows cannot do without. */
export type Include = "rows"

/** The input with what its workflows use on both instances; only read where they use some. */
export const withResources = Effect.fnUntraced(function* (
  input: Input,
  source: Client,
  target: Client,
  include: ReadonlyArray<Include>
) {
  const { chosen } = chooseWorkflows(input, counterpartFinder(input))
  const contents = [...chosen.values()].map(({ content }) => content)
  if (contents.every(({ nodes }) => tableUses(nodes).length === 0)) return input
  const [sourceTables, targetTables] = yield* Effect.all([tablesOf(source), tablesOf(target)], { concurrency: 2 })
  const resources = { ...noResources, sourceTables, targetTables }
  if (!include.includes("rows")) return { ...input, resources }
  const missing = new Set(contents.flatMap((content) => linkTables({ ...input, resources }, content).missing))
  const rows = yield* Effect.forEach(missing, (table) =>
    Effect.map(rowsOf(source, table), (all) => [table.id, all] as const)
  )
  return { ...input, resources: { ...resources, rows: new Map(rows) } }
})

/** The data tables that a key can see, or why nobody can tell. */
const tablesOf = (client: Client) =>
  Effect.catch(
    Effect.map(allTables(client), (items): Listing<DataTable> => ({ items })),
    (error) =>
      isWithoutTables(error) || error._tag === "PermissionDenied"
        ? Effect.succeed<Listing<DataTable>>({ items: [], unread: error.message })
        : Effect.fail(error)
  )

/** All rows of a table that goes along, as far as a plan keeps them. */
const rowsOf = Effect.fnUntraced(function* (client: Client, table: DataTable) {
  const rows = yield* matchingRows(client, table, undefined, mostChanged)
  return rows.length > mostChanged
    ? yield* new InvalidArgument({
        argument: "include",
        problem: `rows: ${table.name} has more than ${mostChanged} rows, which is more than a plan keeps to roll it back: leave rows out`
      })
    : rows.map((row) => valuesIn(row, columnsOf(table)))
})
