/** Columns of a line in a terminal. */
export const widthOf = (line: string): number => {
  const narrow = /[\p{M}\p{Cf}]/u
  const wide =
    /[\p{Emoji_Presentation}\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u
  let columns = 0
  for (const character of line) columns += narrow.test(character) ? 0 : wide.test(character) ? 2 : 1
  return columns
}

/** How to highlight parts of a text; plain if there is no terminal. */
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
