import path from "node:path"

import { Effect } from "effect"

import { nameText, oneLine } from "../internal/foreignText.ts"
import { Progress } from "../mcp/callContext.ts"
import type { Finding } from "../mcp/Toolset.ts"

/** Columns of a line in a terminal. */
const widthOf = (line: string): number => {
  const narrow = /[\p{M}\p{Cf}]/u
  const wide =
    /[\p{Emoji_Presentation}\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u
  let columns = 0
  for (const character of line) columns += narrow.test(character) ? 0 : wide.test(character) ? 2 : 1
  return columns
}

/** The highlighting of parts of a text; none if there is no terminal. */
export interface Style {
  readonly label: (text: string) => string
  readonly faint: (text: string) => string
  /** Columns of the terminal; none where something else reads the text. */
  readonly width?: number
}

export const plain: Style = { label: (text) => text, faint: (text) => text }

export const coloured: Style = {
  label: (text) => `\u001B[1m${text}\u001B[22m`,
  faint: (text) => `\u001B[2m${text}\u001B[22m`
}

/** The style of what is printed to standard output. */
export const outputStyle = (canColor: boolean): Style => {
  const { columns, isTTY } = process.stdout
  return { ...(canColor ? coloured : plain), ...(isTTY && columns > 0 ? { width: columns } : {}) }
}

/** Rows below their headings, as wide as necessary. At a terminal long cells are cut, elsewhere they push the rest of their row aside. */
export const table = (
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  { label, width }: Style
): ReadonlyArray<string> => {
  const natural = heads.map((head, column) => Math.max(...[head, ...rows.map((row) => row[column] ?? "")].map(widthOf)))
  const widths = width === undefined ? natural.map((one) => Math.min(widest, one)) : fitted(natural, width)
  const padded = (cell: string, columns: number) => {
    const text = width === undefined ? cell : cut(cell, columns)
    return text + " ".repeat(Math.max(0, columns - widthOf(text)))
  }
  const line = (cells: ReadonlyArray<string>) =>
    cells
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  return [label(line(heads)), ...rows.map(line)]
}

const widest = 60

/** Fewest columns of a cell that is cut. */
const narrowest = 6

/** Whether a terminal has room for a table with so many columns. */
export const hasRoom = (columns: number, { width }: Style): boolean =>
  width === undefined || columns * (narrowest + 2) - 2 <= width

/** The widths that fit side by side: the widest give way first. */
const fitted = (natural: ReadonlyArray<number>, width: number): ReadonlyArray<number> => {
  const room = width - 2 * (natural.length - 1)
  let most = Math.max(...natural)
  const total = () => natural.reduce((sum, one) => sum + Math.min(one, most), 0)
  while (total() > room && most > narrowest) most -= 1
  const spare = Math.max(room - total(), 0)
  // What the whole columns leave over goes to the first that is cut.
  const first = natural.findIndex((one) => one > most)
  return natural.map((one, column) => Math.min(one, column === first ? most + spare : most))
}

/** A text in at most so many columns of a terminal. */
const cut = (text: string, columns: number): string => {
  if (widthOf(text) <= columns) return text
  let kept = ""
  let room = columns - 1
  for (const character of text) {
    room -= widthOf(character)
    if (room < 0) break
    kept += character
  }
  return `${kept}…`
}

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/

/** A moment as people write it, by the clock of this machine, at a terminal; any other text, and for programs, as it is. */
export const readable = (text: string, { width }: Style): string => {
  if (width === undefined || !isoTime.test(text)) return text
  const moment = new Date(text)
  const two = (number: number) => String(number).padStart(2, "0")
  const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`
  return `${day} ${two(moment.getHours())}:${two(moment.getMinutes())}`
}

/** The format of findings. */
export interface ReportOptions {
  readonly json: boolean
  readonly canColor: boolean
}

/** Findings for people: a table of facts, then errors and warnings; or as JSON. */
export const report = (findings: ReadonlyArray<Finding>, { canColor, json }: ReportOptions): string => {
  if (json) return JSON.stringify({ fine: findings.every(({ fine }) => fine), findings })
  const style = outputStyle(canColor)
  const rows = findings.flatMap(({ facts, fine }) =>
    facts === undefined ? [] : [{ state: fine ? "ok" : "wrong", ...facts }]
  )
  const heads = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = rows.map((row) => new Map<string, string>(Object.entries(row)))
  const texts = cells.map((row) => heads.map((head) => nameText(row.get(head) ?? "-")))
  const words = [
    ...findings.filter(({ facts, fine }) => !fine || facts === undefined).map(({ words: said }) => said),
    ...findings.flatMap(({ notes = [] }) => notes)
  ]
  const lines = [
    ...(rows.length === 0
      ? []
      : table(
          heads.map((head) => (head === "state" ? "" : head)),
          texts,
          style
        )),
    ...words.map(nameText)
  ]
  return lines.length === 0 ? "There is nothing to check." : lines.join("\n")
}

/** Shows the progress of a call on a terminal, on one line of standard error that is removed at its end. */
export const withProgressLine = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const { stderr } = process
  if (!stderr.isTTY) return self
  const show = (text: string) => Effect.sync(() => void stderr.write(`\r\u001B[K${text}`))
  return self.pipe(
    Effect.provideService(Progress, ({ message = "", progress, total }) =>
      show(oneLine(`${progress}${total === undefined ? "" : `/${total}`} ${message}`))
    ),
    Effect.ensuring(show(""))
  )
}

/**
 * The command with which a person can start this again: its name if it is installed, otherwise Node with its file, as in a
 * clone.
 */
export const ownCommand = (main: string | undefined): string => {
  const name = "workflow-tool-server"
  const isInstalled =
    main === undefined || !/^main\.[jt]s$/.test(path.basename(main)) || /[\\/]node_modules[\\/]/.test(main)
  if (isInstalled) return name
  return `node ${/\s/.test(main) ? JSON.stringify(main) : main}`
}
