import { Effect } from "effect"

import { nearest } from "../../internal/schema/nearest.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"

const shown = 30

/** Refuses names of nodes that something does not have, and names those it has. */
export const knownNodes = (thing: string, wanted: ReadonlyArray<string>, known: ReadonlyArray<string>) => {
  const stranger = wanted.find((name) => !known.includes(name))
  if (stranger === undefined) return Effect.void
  const guess = nearest(stranger, known)
  const more = known.length > shown ? ` and ${known.length - shown} more` : ""
  const hint = guess === undefined ? `Its nodes: ${known.slice(0, shown).join(", ")}${more}` : `Did you mean ${guess}?`
  return Effect.fail(new InvalidArgument({ argument: "nodes", problem: `${thing} has no node ${stranger}. ${hint}` }))
}
