import { nameText } from "../../internal/foreignText.ts"
import type { Finding } from "../../mcp/Toolset.ts"
import { coloured, plain, table } from "./terminalText.ts"

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
  const shown = cells.map((row) => heads.map((head) => nameText(row.get(head) ?? "-")))
  const words = [
    ...findings.filter(({ facts, fine }) => !fine || facts === undefined).map(({ words: said }) => said),
    ...findings.flatMap(({ notes = [] }) => notes)
  ]
  const lines = [
    ...(rows.length === 0
      ? []
      : table(
          heads.map((head) => (head === "state" ? "" : head)),
          shown,
          style
        )),
    ...words.map(nameText)
  ]
  return lines.length === 0 ? "There is nothing to check." : lines.join("\n")
}
