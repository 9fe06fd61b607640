import { Result } from "effect"
import { useLayoutEffect, useMemo, useState } from "preact/hooks"

import type { Typed } from "../../engine/workflow/cells.ts"
import {
  csvHead,
  csvProblemText,
  csvRows,
  type CsvRows,
  csvText,
  formulasIn,
  keyProblem,
  rowsOfCsv
} from "../../engine/workflow/csv.ts"
import { type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"
import { masked } from "../../internal/secrets/maskSecrets.ts"
import { Act } from "../Act.tsx"
import { after } from "../browser.ts"
import { callTool, type Outcome } from "../client.ts"
import { countOf } from "../fleet.ts"
import { numberOf, textOf } from "../json.ts"
import { Choice, Problem } from "../parts.tsx"
import { go, href } from "../route.ts"

/** A data table as the page reads it. */
export interface TableInfo {
  readonly instance: string
  readonly id: string
  readonly name: string
  readonly columns: ReadonlyArray<Typed>
}

interface Progress {
  readonly words: string
  readonly problem?: string
}

/** All rows of a table in the order of their ids; each page begins behind the last row of the one before. */
const readRows = (
  { id, instance }: TableInfo,
  onRows: (rows: ReadonlyArray<JsonObject>) => void,
  last = 0
): Promise<Outcome<JsonObject>> =>
  callTool("read_data_table", {
    instance,
    action: "rows",
    table: id,
    limit: 250,
    sort: "id:asc",
    filter: { filters: [{ columnName: "id", condition: "gt", value: last }] }
  }).then((outcome) => {
    const rows = outcome.ok ? objectsOf(outcome.value.data) : []
    const next = numberOf(rows.at(-1)?.id)
    if (rows.length > 0) onRows(rows)
    return outcome.ok && next > last ? readRows({ id, instance, name: "", columns: [] }, onRows, next) : outcome
  })

/** Gives a file to whoever is at the page. */
const save = (name: string, parts: ReadonlyArray<string>) => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([...parts], { type: "text/csv" }))
  link.download = name
  link.click()
  // The browser begins to save after this turn.
  after(60_000, () => URL.revokeObjectURL(link.href))
}

/** A button that reads a whole table into a file. */
export const Download = ({ table }: { readonly table: TableInfo }) => {
  const [progress, setProgress] = useState<Progress>()
  const [isBusy, setBusy] = useState(false)
  const run = () => {
    setBusy(true)
    const parts = [csvHead(table.columns)]
    let [count, masks, formulas] = [0, 0, 0]
    const onRows = (rows: ReadonlyArray<JsonObject>) => {
      const text = csvRows(rows, table.columns)
      parts.push(text)
      count += rows.length
      masks += text.split(masked).length - 1
      for (const row of rows) formulas += formulasIn(row, table.columns)
      setProgress({ words: `${countOf(count, "row")} read…` })
    }
    void readRows(table, onRows).then((outcome) => {
      setBusy(false)
      if (!outcome.ok) {
        setProgress({ words: "", problem: outcome.problem })
        return
      }
      save(`${table.name}.csv`, parts)
      setProgress({
        words: [
          `${countOf(count, "row")} saved.`,
          ...(masks === 0 ? [] : [`${countOf(masks, "secret")} masked: “table export” in a shell has them whole.`]),
          ...(formulas === 0 ? [] : [`${countOf(formulas, "text")} would be formulas in a spreadsheet.`])
        ].join(" ")
      })
    })
  }
  return (
    <>
      <button type="button" disabled={isBusy} onClick={run}>
        Download CSV
      </button>
      <span role="status" class="soft">
        {progress?.words ?? ""}
      </span>
      {progress?.problem === undefined ? null : <Problem>{progress.problem}</Problem>}
    </>
  )
}

/** Rows that one plan takes. */
const mostRows = 10_000

const encodings = [
  ["utf-8", "UTF-8, or as its mark says"],
  ["windows-1252", "Windows-1252"],
  ["utf-16le", "UTF-16"]
] as const

interface Read {
  readonly rows?: CsvRows
  readonly problem?: string
}

const rowsOf = (bytes: Uint8Array, encoding: string, { columns }: TableInfo): Read =>
  Result.match(
    Result.flatMap(csvText(bytes, encoding), (text) => rowsOfCsv(text, columns)),
    {
      onFailure: (problems) => ({
        problem: `Nothing was sent. ${problems.slice(0, 5).map(csvProblemText).join("; ")}`
      }),
      onSuccess: (rows) => ({ rows })
    }
  )

/** A button whose dialog makes a plan of a file; the plan shows what would change. */
export const Upload = ({ table }: { readonly table: TableInfo }) => {
  const [file, setFile] = useState<File>()
  const [bytes, setBytes] = useState<Result.Result<Uint8Array, string>>()
  const [encoding, setEncoding] = useState("utf-8")
  const [column, setColumn] = useState("")
  useLayoutEffect(() => {
    setBytes(undefined)
    let isOver = false
    void file?.arrayBuffer().then(
      (buffer) => isOver || setBytes(Result.succeed(new Uint8Array(buffer))),
      () => isOver || setBytes(Result.fail(`${file.name} cannot be read. Choose it again.`))
    )
    return () => {
      isOver = true
    }
  }, [file])
  const { problem: unreadable, rows } = useMemo((): Read => {
    if (bytes === undefined) return {}
    return Result.isSuccess(bytes) ? rowsOf(bytes.success, encoding, table) : { problem: bytes.failure }
  }, [bytes, encoding, table])
  const calls = () => {
    if (rows === undefined) return unreadable ?? "Choose a file."
    if (rows.rows.length === 0) return "The file has no rows."
    if (rows.rows.length > mostRows) {
      return `The file has ${countOf(rows.rows.length, "row")}, and a plan takes ${mostRows.toLocaleString()}. Divide it, or use “table import” in a shell.`
    }
    if (column !== "" && !rows.columns.includes(column)) return `The first line of the file does not name ${column}.`
    const problem = column === "" ? undefined : keyProblem(rows, column)
    if (problem !== undefined) return csvProblemText(problem)
    const how = column === "" ? { action: "insert" } : { action: "upsert", column }
    return [{ tool: "change_data_table", args: { instance: table.instance, table: table.id, rows: rows.rows, ...how } }]
  }
  return (
    <Act
      label="Upload CSV…"
      title={`Plan to write a file into “${table.name}” on ${table.instance}`}
      action="Make the plan"
      calls={calls}
      onDone={([plan]) => go(href(["plans", textOf(plan?.plan_id)]))}
    >
      <p>
        The first line of the file names columns. The plan shows each change. Nothing is changed until you apply it.
      </p>
      <label>
        CSV file
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={(event) => setFile(event.currentTarget.files?.[0])}
        />
      </label>
      <div class="row">
        <Choice
          label="Rows"
          value={column}
          choices={[
            ["", "Insert all"],
            ...table.columns.map(({ name }) => [name, `Change those with the same ${name}`] as const)
          ]}
          onChoice={setColumn}
        />
        <Choice label="Encoding" value={encoding} choices={encodings} onChoice={setEncoding} />
      </div>
      {rows === undefined ? null : (
        <p class="soft">
          {countOf(rows.rows.length, "row")}
          {rows.leftOut.length === 0 ? "" : `; left out, as the engine writes them: ${rows.leftOut.join(", ")}`}
        </p>
      )}
      {unreadable === undefined ? null : <Problem>{unreadable}</Problem>}
    </Act>
  )
}
