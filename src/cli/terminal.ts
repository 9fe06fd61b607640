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
}

export const plain: Style = { label: (text) => text, faint: (text) => text }

export const coloured: Style = {
  label: (text) => `\u001B[1m${text}\u001B[22m`,
  faint: (text) => `\u001B[2m${text}\u001B[22m`
}

/** Rows below their headings, as wide as necessary; very long cells push the rest of their row aside. */
export const table = (
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  { label }: Style
): ReadonlyArray<string> => {
  const widths = heads.map((head, column) =>
    Math.min(widest, Math.max(...[head, ...rows.map((row) => row[column] ?? "")].map(widthOf)))
  )
  const line = (cells: ReadonlyArray<string>) =>
    cells
      .map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
      .join("  ")
      .trimEnd()
  return [label(line(heads)), ...rows.map(line)]
}

const widest = 60

/** The format of findings. */
export interface ReportOptions {
  readonly json: boolean
  readonly canColor: boolean
}

/** Findings for people: a table of facts, then errors and warnings; or as JSON. */
export const report = (findings: ReadonlyArray<Finding>, { canColor, json }: ReportOptions): string => {
  if (json) return JSON.stringify({ fine: findings.every(({ fine }) => fine), findings })
  const style = canColor ? coloured : plain
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
