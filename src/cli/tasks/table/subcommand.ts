import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"

import type { FlagTexts } from "../../configuration/flags.ts"
import { instance, json, numberFlag, overwrite, switched, textFlag } from "../subcommands.ts"
import type { ExportRequest } from "./exportTable.ts"
import type { ImportRequest } from "./importTable.ts"

/** The arguments of `table export` or `table import`. */
export type TableTask =
  | { readonly task: "exportTable"; readonly request: ExportRequest }
  | { readonly task: "importTable"; readonly request: ImportRequest }

const table = Argument.String("table").pipe(Argument.withDescription("Id or name of the data table"))

const isForSpreadsheets = switched(
  "spreadsheet",
  "For a spreadsheet: an apostrophe before texts that it would take for formulas; import takes it away"
)

const exportInput = {
  table,
  file: Argument.String("file").pipe(
    Argument.withDescription("File to write; by default, or as -, standard output"),
    Argument.optional,
    Argument.map((file) => Option.getOrUndefined(Option.filter(file, (name) => name !== "-")))
  ),
  instance,
  isForSpreadsheets,
  withSystem: switched("system", "With the columns id, createdAt and updatedAt, too"),
  overwrite
}

const importInput = {
  table,
  file: Argument.String("file").pipe(Argument.withDescription("CSV file to read; - for standard input")),
  instance,
  by: textFlag(
    "by",
    "COLUMN",
    "Change the rows that have the same value in this column, and insert the others; else all are inserted"
  ),
  encoding: textFlag("encoding", "NAME", "Encoding of the file, such as windows-1252 (default utf-8)"),
  fromLine: numberFlag("from-line", "N", "Leave out the rows before this line of the file"),
  isForSpreadsheets,
  apply: switched("apply", "Apply the plan; by default it is only made and shown"),
  json
}

const importDescription = `Plans to write the rows of a CSV file into a data table, and shows the plan; --apply applies it.

  workflow-tool-server table import Orders orders.csv --by number
  workflow-tool-server table import Orders orders.csv --by number --apply

  The first line names columns. All rows are checked before anything is sent. A plan changes 10,000 rows; --apply makes as many
  plans as the file needs, one after the other. Exits with 1 if something failed or was not applied, with 2 if the file does
  not fit the table.`

/** The sub-command `table`, with `table export` and `table import` below it. */
export const tableCommand = <E, R>(
  texts: Effect.Effect<FlagTexts, E, R>,
  run: (task: TableTask, texts: FlagTexts) => Effect.Effect<void>
) => {
  const exporting = Command.make("export", exportInput, (request) =>
    Effect.flatMap(texts, (given) => run({ task: "exportTable", request }, given))
  ).pipe(
    Command.withDescription(
      "Write all rows of a data table as CSV, to a file or to standard output.\n\n  workflow-tool-server table export Orders orders.csv"
    ),
    Command.withShortDescription("Write all rows of a data table as CSV")
  )
  const importing = Command.make("import", importInput, (request) =>
    Effect.flatMap(texts, (given) => run({ task: "importTable", request }, given))
  ).pipe(
    Command.withDescription(importDescription),
    Command.withShortDescription("Plan to write the rows of a CSV file into a data table")
  )
  return Command.make("table").pipe(
    Command.withSubcommands([exporting, importing]),
    Command.withDescription("Rows of data tables as CSV")
  )
}
