import { Effect, Option, Result } from "effect"

import { grouped } from "../../../internal/collections.ts"
import { listed } from "../../../internal/foreignText.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { withoutEnd } from "../../../internal/texts.ts"
import { monotonicMillis } from "../../../internal/time.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { isMissing } from "../../client/isMissing.ts"
import { firstPages, listWholeIfSupported, provingPage } from "../../client/listAll.ts"
import { requireRows } from "../../tools/dataTables.ts"
import { personalProject, unknownProject } from "../../tools/workflows/location.ts"
import { columnsOf, type DataTable, mostRowsKept, valuesIn } from "../../workflow/dataTables.ts"
import { folderPaths } from "../../workflow/projects.ts"

type Client = EngineClient["Service"]

/** The number of things beside workflows and tags that a backup has recorded, as far as the engine shows them. */
export interface KeptCounts {
  readonly tables?: number
  readonly rows?: number
  readonly variables?: number
  readonly folders?: number
}

interface Kept {
  readonly counts: KeptCounts
  /** The lists that are not kept, with the reasons, and the tables whose rows are not. */
  readonly notices: ReadonlyArray<string>
}

/** Everything of a list, or the reason why the engine shows nothing. */
type Listing<A> = Result.Result<A, string>

const noneHere = "the engine has none"

const listingOf = <A>(items: Option.Option<A>): Listing<A> => Result.fromOption(items, () => noneHere)

/** A list of which a licence or a scope may be missing. Any other failure proves nothing of what is there: it fails the backup. */
const unlessDenied = <A>(read: Effect.Effect<Listing<A>, EngineError>): Effect.Effect<Listing<A>, EngineError> =>
  Effect.catchTag(read, "PermissionDenied", ({ message }) => Effect.succeed(Result.fail(message)))

const tablesOf = (engine: Client) =>
  unlessDenied(
    Effect.andThen(
      engine.requireRights(["GET /data-tables"]),
      Effect.map(listWholeIfSupported(engine, engine.listTablesIfSupported), listingOf)
    )
  )

/** The variables by their names; their values may be secrets. */
export const variablesOf = (engine: Client) =>
  unlessDenied(
    Effect.map(listWholeIfSupported(engine, engine.listVariablesIfSupported), (variables) =>
      Result.map(listingOf(variables), (all) =>
        all.map(({ id, key, project, type }): JsonObject => ({ id, name: key, type, projectId: project?.id }))
      )
    )
  )

/** The folders of the projects that a key can see; its own project alone where it may not list them. */
interface Folders {
  readonly projects: ReadonlyArray<string>
  /** Called by their paths. */
  readonly folders: ReadonlyArray<JsonObject>
}

/** Projects whose folders are read at the same time: owners see those of all users. */
const atOnce = 8

/** The folders of a project; none of one that was deleted meanwhile. */
const projectFolders = (engine: Client, project: string) =>
  engine.foldersIfSupported(project).pipe(
    Effect.map(
      Option.map((folders): ReadonlyArray<JsonObject> => {
        const paths = folderPaths(folders)
        return folders.map((one, place) => ({ ...one, name: paths[place], projectId: project }))
      })
    ),
    Effect.catchIf(isMissing, () => Effect.succeedSome([]))
  )

export const foldersOf = Effect.fnUntraced(
  function* (engine: Client): Effect.fn.Return<Listing<Folders>, EngineError> {
    const listing = yield* Effect.result(listWholeIfSupported(engine, engine.listProjectsIfSupported))
    const isDenied = Result.isFailure(listing) && listing.failure._tag === "PermissionDenied"
    const projects = isDenied
      ? Option.toArray(yield* Effect.provideService(personalProject, EngineClient, engine))
      : Option.getOrElse(yield* Effect.fromResult(listing), () => []).map(({ id }) => id)
    if (projects.length === 0) return Result.fail(unknownProject)
    const lists = yield* Effect.forEach(projects, (project) => projectFolders(engine, project), { concurrency: atOnce })
    return listingOf(Option.map(Option.all(lists), (all) => ({ projects, folders: all.flat() })))
  },
  (read) => unlessDenied(read)
)

/** Records the data tables, variables and folders of an instance, and the rows of its tables where they are asked for. */
export const recordKeptLists = Effect.fnUntraced(function* (
  engine: Client,
  { rows, until }: { readonly rows: boolean; readonly until: number }
): Effect.fn.Return<Kept, EngineError> {
  const { history } = engine
  const tables = yield* tablesOf(engine)
  const lists = {
    "data-tables": Result.map(tables, (all) => all.map((table) => ({ ...table, columns: columnsOf(table) }))),
    variables: yield* variablesOf(engine),
    folders: Result.map(yield* foldersOf(engine), ({ folders }) => folders)
  } as const
  for (const list of ["data-tables", "variables", "folders"] as const) {
    const listing = lists[list]
    if (Result.isSuccess(listing)) yield* history.recordNames({ list, all: listing.success })
  }
  const filled =
    rows && Result.isSuccess(tables)
      ? yield* Effect.catchTag(recordRows(engine, tables.success, until), "PermissionDenied", ({ message }) =>
          Effect.succeed({ count: 0, notices: [`Rows are not kept: ${message}`] })
        )
      : undefined
  const sizeOf = (list: keyof typeof lists) => Option.map(Result.getSuccess(lists[list]), ({ length }) => length)
  const unread = Object.entries(lists).flatMap(([list, listing]) =>
    Result.isFailure(listing) ? [{ list: list.replace("-", " "), reason: listing.failure }] : []
  )
  const unkept = [...grouped(unread, ({ reason }) => reason)].map(
    ([reason, some]) => `${some.map(({ list }) => list).join(", ")} (${withoutEnd(reason, ".")})`
  )
  return {
    counts: {
      ...Option.match(sizeOf("data-tables"), { onNone: () => ({}), onSome: (count) => ({ tables: count }) }),
      ...(filled === undefined ? {} : { rows: filled.count }),
      ...Option.match(sizeOf("variables"), { onNone: () => ({}), onSome: (count) => ({ variables: count }) }),
      ...Option.match(sizeOf("folders"), { onNone: () => ({}), onSome: (count) => ({ folders: count }) })
    },
    notices: [
      ...(unkept.length === 0 ? [] : [`Not kept, as they are not to be read: ${unkept.join("; ")}.`]),
      ...(filled?.notices ?? [])
    ]
  }
})

/** Tables that are named in one notice. */
const mostNamed = 10

/** Records the rows of tables, each as a list of its own. */
const recordRows = Effect.fnUntraced(function* (engine: Client, tables: ReadonlyArray<DataTable>, until: number) {
  const { history } = engine
  yield* requireRows(engine)
  const tooLong: Array<string> = []
  const late: Array<string> = []
  let count = 0
  for (const table of tables) {
    if ((yield* monotonicMillis) > until) {
      late.push(table.name)
      continue
    }
    // While nothing can be recorded, rows would only fill memory and disk.
    if ((yield* history.problem)?.isRecorded === false) break
    const columns = columnsOf(table)
    let size = 0
    const reading = firstPages(
      (query) => provingPage(engine)(engine.listRows(table.id, query)),
      { pages: Infinity, isEnough: (picked) => (size += picked) > mostRowsKept },
      (rows) => rows.map((row): JsonObject => ({ id: row.id, ...valuesIn(row, columns) }))
    )
    // One that was deleted meanwhile is in the next backup no more.
    const matches = yield* Effect.catchIf(
      Effect.map(reading, (pages) => pages.matches),
      isMissing,
      () => Effect.undefined
    )
    if (matches === undefined) continue
    if (matches.length > mostRowsKept) {
      tooLong.push(table.name)
      continue
    }
    count += matches.length
    yield* history.recordNames({ list: "rows", table: { id: table.id, name: table.name }, all: matches })
    // No more than the rows of one table wait in memory.
    yield* history.drained
  }
  return {
    count,
    notices: [
      ...(tooLong.length === 0
        ? []
        : [`Rows left out of tables with more than ${mostRowsKept}: ${listed(tooLong, mostNamed)}.`]),
      ...(late.length === 0
        ? []
        : [`Rows not read in time: ${listed(late, mostNamed)}. The command backup --rows has time for all.`])
    ]
  }
})
