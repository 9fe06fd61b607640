import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Console, Context, Effect, FileSystem } from "effect"

import { readDataTable } from "../../../engine/api/readDataTable.ts"
import type { EngineClient } from "../../../engine/client/EngineClient.ts"
import { Instances } from "../../../engine/client/Instances.ts"
import { endless, provingPage } from "../../../engine/client/listAll.ts"
import { findTable } from "../../../engine/tools/dataTables.ts"
import { type Failure, toToolFailure } from "../../../engine/tools/errors.ts"
import { systemColumns } from "../../../engine/workflow/cells.ts"
import { csvHead, csvRows, type CsvStyle, formulasIn } from "../../../engine/workflow/csv.ts"
import { columnsOf, type DataTable } from "../../../engine/workflow/dataTables.ts"
import { ConfigurationError } from "../../../internal/config/ConfigurationError.ts"
import { nameText, visible } from "../../../internal/foreignText.ts"
import { transportCode } from "../../../internal/http/transportCode.ts"
import { Progress } from "../../../mcp/callContext.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { type Options, UsageError } from "../../configuration/flags.ts"
import type { Launch } from "../../configuration/Launch.ts"
import { readLaunch } from "../../configuration/readLaunch.ts"
import { instances } from "../../engine/instances.ts"
import { describe } from "../../files/fileProblems.ts"
import { withProgressLine } from "../../terminal.ts"
import { asCall, isOfEngines, reported, untilStopped, watched } from "../watched.ts"

/** The arguments of `table export`. */
export interface ExportRequest extends CsvStyle {
  readonly table: string
  /** Undefined for standard output. */
  readonly file: string | undefined
  readonly instance: string | undefined
  readonly withSystem: boolean
  readonly overwrite: boolean
}

/** Writes all rows of a data table as CSV; the exit code is 1 if something failed. */
export const runTableExport = Effect.fnUntraced(function* (options: Options, request: ExportRequest) {
  const launch = yield* readLaunch({ ...options, http: false })
  return yield* untilStopped(exported(launch, request)).pipe(watched(launch), Effect.catchIf(isOfEngines, reported))
}, Effect.scoped)

const exported = Effect.fnUntraced(function* (launch: Launch, request: ExportRequest) {
  const { file } = request
  const client = yield* Context.get(yield* instances(launch), Instances).resolve(request.instance)
  const write = (put: Put) =>
    asCall({
      tool: readDataTable,
      instance: client.instance,
      render: (error: ConfigurationError | Failure) =>
        error._tag === "ConfigurationError"
          ? new InvalidArgument({ argument: "file", problem: error.message })
          : toToolFailure(error),
      work: Effect.flatMap(findTable(client, request.table), (table) => rowsWritten(client, table, request, put))
    }).pipe(withProgressLine)
  const { count, formulas, name } = yield* file === undefined ? toStdout(write) : toFile(file, request.overwrite, write)
  const place = file === undefined ? "" : ` in ${file}`
  yield* Console.error(`${count} rows of ${nameText(name)} on ${client.instance}${place}`)
  if (formulas > 0 && request.isForSpreadsheets !== true) {
    yield* Console.error(
      `${formulas} texts begin with =, +, - or @, so that a spreadsheet takes them for formulas; --spreadsheet keeps it from that`
    )
  }
  return 0
})

type Put = (text: string) => Effect.Effect<void, ConfigurationError>

interface Written {
  readonly name: string
  readonly count: number
  /** Texts that a spreadsheet takes for formulas. */
  readonly formulas: number
}

const pageSize = 250

/** Writes a table page by page. Each begins behind the last row of the one before, whatever is deleted meanwhile. */
const rowsWritten = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  table: DataTable,
  { withSystem, ...style }: ExportRequest,
  put: Put
) {
  const progress = yield* Progress
  const columns = withSystem ? [...systemColumns, ...columnsOf(table)] : columnsOf(table)
  yield* put(csvHead(columns, style))
  let [last, count, formulas] = [0, 0, 0]
  for (;;) {
    const filter = { filters: [{ columnName: "id", condition: "gt", value: last }] } as const
    const page = client.listRows(table.id, { limit: pageSize, sortBy: "id:asc", filter })
    const { data } = yield* provingPage(client)(page)
    if (data.length === 0) return { name: table.name, count, formulas }
    for (const row of data) {
      if (row.id <= last) return yield* endless(client.instance)
      last = row.id
      formulas += formulasIn(row, columns)
    }
    yield* put(csvRows(data, columns, style))
    count += data.length
    yield* progress({ progress: count, message: "rows" })
  }
})

type Write<E> = (put: Put) => Effect.Effect<Written, E>

/** The file is there once all is written; until then, a former one stays. */
const toFile = <E>(file: string, overwrite: boolean, write: Write<E>) =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    const failed = (error: { readonly message: string }) => new ConfigurationError({ message: describe(file, error) })
    if (!overwrite && (yield* Effect.mapError(fileSystem.exists(file), failed))) {
      return yield* new UsageError({ message: `${file} is there already: --overwrite replaces it` })
    }
    const part = `${file}.${crypto.randomUUID()}.part`
    const whole = Effect.gen(function* () {
      const handle = yield* Effect.mapError(fileSystem.open(part, { flag: "wx", mode: 0o600 }), failed)
      return yield* write((text) => Effect.mapError(handle.writeAll(encoder.encode(text)), failed))
    }).pipe(Effect.scoped)
    return yield* whole.pipe(
      Effect.tap(() => Effect.mapError(fileSystem.rename(part, file), failed)),
      Effect.onError(() => Effect.ignore(fileSystem.remove(part, { force: true })))
    )
  }).pipe(Effect.provide(NodeFileSystem.layer))

const encoder = new TextEncoder()

const ignored = () => {}

/** Standard output, which takes as much as its reader does. What would affect a terminal is spelt out on one. */
const toStdout = <E>(write: Write<E>) => {
  const { stdout } = process
  const put: Put = (text) =>
    Effect.callback((resume) => {
      stdout.write(stdout.isTTY ? visible(text) : text, (error) =>
        resume(
          error
            ? Effect.fail(
                new ConfigurationError({
                  message: `standard output cannot be written (${transportCode(error) ?? "unknown reason"})`
                })
              )
            : Effect.void
        )
      )
    })
  // Whoever writes is told by the callback; without a listener, the process would end.
  const listening = Effect.acquireRelease(
    Effect.sync(() => void stdout.on("error", ignored)),
    () => Effect.sync(() => void stdout.off("error", ignored))
  )
  return Effect.scoped(Effect.andThen(listening, write(put)))
}
