import { Predicate, Result } from "effect"

import { clipped } from "../../internal/foreignText.ts"
import { masked, maskText } from "../../internal/secrets/maskSecrets.ts"
import { type Cell, cellOf, isSystem, named, type Typed } from "./cells.ts"
import type { Cells } from "./dataTables.ts"

/** Bytes of a file that is read: it is held as a whole, so that all of it is checked before anything is sent. */
export const mostCsvBytes = 64 * 1024 * 1024

/** A place of a file, and the reason why it cannot be taken. */
export interface CsvProblem {
  /** The line of the file, counted from 1; none for a problem of the whole file. */
  readonly line?: number
  readonly column?: string
  readonly problem: string
}

/** A problem with its place in words. */
export const csvProblemText = ({ column, line, problem }: CsvProblem): string => {
  const place = [...(line === undefined ? [] : [`line ${line}`]), ...(column === undefined ? [] : [column])].join(", ")
  return place === "" ? problem : `${place}: ${problem}`
}

/** Problems that are told of one file. */
const mostProblems = 10

const fail = (problem: CsvProblem): Result.Result<never, ReadonlyArray<CsvProblem>> => Result.fail([problem])

const marks = [
  { label: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { label: "utf-16le", bytes: [0xff, 0xfe] },
  { label: "utf-16be", bytes: [0xfe, 0xff] }
]

const decoded = (bytes: Uint8Array, label: string, fatal: boolean) =>
  Result.try(() => new TextDecoder(label, { fatal }).decode(bytes))

/** The text of a file: in UTF-8, unless its byte order mark or `encoding` says otherwise. */
export const csvText = (bytes: Uint8Array, encoding?: string): Result.Result<string, ReadonlyArray<CsvProblem>> => {
  if (bytes.length > mostCsvBytes)
    return fail({ problem: `has more than ${mostCsvBytes / 1024 / 1024} MiB: divide it` })
  const mark = marks.find((one) => one.bytes.every((byte, at) => bytes[at] === byte))
  const label = mark?.label ?? encoding?.trim() ?? "utf-8"
  const text = Result.getOrUndefined(decoded(bytes, label, true))
  if (text !== undefined) {
    return text.includes("\0")
      ? fail({
          ...placeOf(text, "\0"),
          problem: `holds a NUL, so that it is not in ${label}: name its encoding, such as utf-16le`
        })
      : Result.succeed(text)
  }
  const rough = Result.getOrUndefined(decoded(bytes, label, false))
  return rough === undefined
    ? fail({
        problem: `${JSON.stringify(clipped(label, 40))} is no known encoding, such as utf-8, utf-16le or windows-1252`
      })
    : fail({ ...placeOf(rough, "\uFFFD"), problem: `is not in ${label}: name its encoding, such as windows-1252` })
}

const placeOf = (text: string, mark: string) => ({ line: text.slice(0, text.indexOf(mark)).split(lineEnd).length })

const lineEnd = /\r\n|\n|\r/

interface RawCell {
  readonly text: string
  readonly isQuoted: boolean
}

interface RawRow {
  readonly line: number
  readonly cells: ReadonlyArray<RawCell>
}

/** Characters that may part cells, with the cells between them. No name of a column holds one: the first line tells which of them does. */
const separators = [
  { separator: ",", bare: /[^,\r\n]*/y },
  { separator: ";", bare: /[^;\r\n]*/y },
  { separator: "\t", bare: /[^\t\r\n]*/y }
] as const

const separatorOf = (text: string) => {
  const end = text.search(lineEnd)
  const head = end < 0 ? text : text.slice(0, end)
  return separators.find(({ separator }) => head.includes(separator)) ?? separators[0]
}

/** Rows and columns of a file that are read: tiny ones would need far more memory than they have bytes. */
const most = { rows: 1_000_000, columns: 1000 }

/** The place of the quotation mark that closes a cell: the first one that is not written twice; below 0 if there is none. */
const closingOf = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && text.charAt(end + 1) === '"') end = text.indexOf('"', end + 2)
  return end
}

/** The rows of a CSV file as RFC 4180 describes it. Lines may end with CR LF, LF or CR, and quoted cells may hold such ends. */
const rawRows = (text: string): Result.Result<ReadonlyArray<RawRow>, ReadonlyArray<CsvProblem>> => {
  const { bare, separator } = separatorOf(text)
  const rows: Array<RawRow> = []
  let [at, line] = [0, 1]
  while (at < text.length) {
    const start = line
    const cells: Array<RawCell> = []
    let hasNext = true
    while (hasNext) {
      if (text.charAt(at) === '"') {
        const end = closingOf(text, at)
        if (end < 0) return fail({ line, problem: "a quotation mark is not closed" })
        const inside = text.slice(at + 1, end)
        cells.push({ text: inside.replaceAll('""', '"'), isQuoted: true })
        line += inside.split(lineEnd).length - 1
        at = end + 1
      } else {
        bare.lastIndex = at
        const [cell = ""] = bare.exec(text) ?? []
        cells.push({ text: cell, isQuoted: false })
        at += cell.length
      }
      if (cells.length > most.columns) return fail({ line, problem: `has more than ${most.columns} cells` })
      hasNext = text.charAt(at) === separator
      if (hasNext) at += 1
    }
    if (at < text.length && !/[\r\n]/.test(text.charAt(at))) {
      return fail({
        line,
        problem: "something stands behind a closing quotation mark; one inside of a cell is written twice"
      })
    }
    if (rows.length > most.rows) return fail({ line, problem: `more than ${most.rows} rows: divide the file` })
    rows.push({ line: start, cells })
    at += text.startsWith("\r\n", at) ? 2 : 1
    line += 1
  }
  return Result.succeed(rows)
}

/** Texts that spreadsheets take for formulas, with the apostrophes by which they are kept from it. */
const formula = /^'*[=+\-@\t\r]/

/** The number of texts that a spreadsheet would take for formulas. */
export const formulasIn = (row: Values, columns: ReadonlyArray<Typed>): number =>
  columns.filter(({ name }) => Predicate.isString(row[name]) && /^[=+\-@\t\r]/.test(row[name])).length

/** Values by the names of columns. */
type Values = Readonly<Record<string, unknown>>

export interface CsvStyle {
  /** Whether an apostrophe stands, or is to stand, before texts that a spreadsheet would take for formulas. */
  readonly isForSpreadsheets?: boolean
}

const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i

/** A cell of a file as a column stores it. An empty one is null; in quotes it is an empty text. */
const readCell = (
  column: Typed,
  { isQuoted, text }: RawCell,
  { isForSpreadsheets = false }: CsvStyle
): Result.Result<Cell, string> => {
  const bare = text.trim()
  if (column.type === "string") {
    if (text === "" && !isQuoted) return Result.succeed(null)
    if (text.includes(masked))
      return Result.fail(`${masked} stands for a secret that was not shown: write the value itself`)
    return Result.succeed(isForSpreadsheets && text.startsWith("'") && formula.test(text) ? text.slice(1) : text)
  }
  if (bare === "") return Result.succeed(null)
  return Result.mapError(
    cellOf(column, valueOf(column, bare)),
    (problem) => `${problem}, and is ${maskText(JSON.stringify(clipped(bare, 40)))}`
  )
}

const valueOf = ({ type }: Typed, text: string): unknown => {
  if (type === "boolean") return /^true$/i.test(text) || (/^false$/i.test(text) ? false : text)
  if (type !== "number" || !number.test(text)) return text
  const value = Number(text)
  // A long number would become another one.
  const isExact = Number.isSafeInteger(value) || /[.e]/i.test(text) || String(value) === text
  return isExact ? value : text
}

/** The rows of a file, each with the line that it begins on. */
export interface CsvRows {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Cells>
  readonly lines: ReadonlyArray<number>
  /** Columns that the engine writes itself, and that are left out. */
  readonly leftOut: ReadonlyArray<string>
}

interface Head {
  readonly columns: ReadonlyArray<Typed | undefined>
  readonly leftOut: ReadonlyArray<string>
}

const headOf = (
  { cells, line }: RawRow,
  columns: ReadonlyArray<Typed>
): Result.Result<Head, ReadonlyArray<CsvProblem>> => {
  const names = cells.map(({ text }) => text.trim())
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined)
    return fail({ line, problem: `the column ${JSON.stringify(clipped(twice, 80))} stands there twice` })
  const leftOut = names.filter(isSystem)
  const matches = names.map((name) => (isSystem(name) ? Result.succeed(undefined) : named(columns, name)))
  if (leftOut.length === names.length) return fail({ line, problem: "names no column of the table" })
  return Result.mapBoth(Result.all(matches), {
    onFailure: (problem) => [{ line, problem }],
    onSuccess: (all) => ({ columns: all, leftOut })
  })
}

/** The rows of a CSV file for a table of these columns, or what is wrong with it, by line and column. */
export const rowsOfCsv = (
  text: string,
  columns: ReadonlyArray<Typed>,
  style: CsvStyle = {}
): Result.Result<CsvRows, ReadonlyArray<CsvProblem>> =>
  Result.flatMap(rawRows(text), ([first, ...rest]) => {
    if (first === undefined) return fail({ problem: "is empty: its first line has to name the columns" })
    return Result.flatMap(headOf(first, columns), (head) => {
      const problems: Array<CsvProblem> = []
      const rows: Array<Cells> = []
      const lines: Array<number> = []
      for (const { cells, line } of rest) {
        const isBlank = cells.length === 1 && cells[0]?.text === "" && !cells[0].isQuoted
        if (isBlank && head.columns.length > 1) continue
        if (cells.length !== head.columns.length) {
          problems.push({
            line,
            problem: `has ${cells.length} cells, and the first line names ${head.columns.length} columns`
          })
        } else {
          const values: Array<readonly [string, Cell]> = []
          for (const [at, column] of head.columns.entries()) {
            const cell = cells[at]
            if (column === undefined || cell === undefined) continue
            const value = readCell(column, cell, style)
            if (Result.isSuccess(value)) values.push([column.name, value.success])
            else problems.push({ line, column: column.name, problem: value.failure })
          }
          rows.push(Object.fromEntries(values))
          lines.push(line)
        }
        if (problems.length >= mostProblems) break
      }
      if (problems.length > 0) return Result.fail(problems)
      const columnNames = head.columns.flatMap((column) => (column === undefined ? [] : [column.name]))
      return Result.succeed({ columns: columnNames, rows, lines, leftOut: head.leftOut })
    })
  })

/** The problem of rows that are to be found by their value in a column: one without a value, or one that stands twice. */
export const keyProblem = ({ lines, rows }: CsvRows, column: string): CsvProblem | undefined => {
  const lineOf = new Map<Cell, number>()
  for (const [at, row] of rows.entries()) {
    const [key = null, line = 0] = [row[column], lines[at]]
    if (key === null) return { line, column, problem: "is empty, so that no row can be found by it" }
    const before = lineOf.get(key)
    if (before !== undefined) return { line, column, problem: `is the same as on line ${before}` }
    lineOf.set(key, line)
  }
  return undefined
}

const written = (value: unknown, { isForSpreadsheets = false }: CsvStyle): string => {
  if (!Predicate.isString(value)) return value === null || value === undefined ? "" : JSON.stringify(value)
  const text = isForSpreadsheets && formula.test(value) ? `'${value}` : value
  return text === "" || /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line of a CSV file. */
const csvLine = (values: ReadonlyArray<unknown>, style: CsvStyle): string =>
  values.map((value) => written(value, style)).join(",") + (style.isForSpreadsheets === true ? "\r\n" : "\n")

/** The first line of a CSV file; a spreadsheet knows UTF-8 by the mark before it. */
export const csvHead = (columns: ReadonlyArray<Typed>, style: CsvStyle = {}): string =>
  (style.isForSpreadsheets === true ? "\uFEFF" : "") +
  csvLine(
    columns.map(({ name }) => name),
    style
  )

/** Rows as lines of a CSV file. */
export const csvRows = (rows: ReadonlyArray<Values>, columns: ReadonlyArray<Typed>, style: CsvStyle = {}): string =>
  rows
    .map((row) =>
      csvLine(
        columns.map(({ name }) => row[name]),
        style
      )
    )
    .join("")
