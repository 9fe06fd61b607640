import { jsonBytes } from "../../../internal/json/values.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import type { Match } from "./criteria.ts"

/** A workflow that was found. */
export interface Row {
  readonly instance: string
  readonly id: unknown
  readonly name: unknown
  readonly active: unknown
  readonly archived?: true
  readonly matches: ReadonlyArray<Match>
}

/**
 * How much of its matches a row shows: some, the first one, only the first node where the rest is what was asked for, or
 * none.
 */
export const details = ["some", "first", "names", "none"] as const
export type Detail = (typeof details)[number]

/** Matches of one workflow that are shown at most. */
const most: Readonly<Record<Detail, number>> = { some: 3, first: 1, names: 1, none: 0 }

/** A row as it is shown. */
export const shownRow = ({ matches, ...row }: Row, detail: Detail): JsonObject => {
  const shown = matches.slice(0, most[detail]).flatMap((match) => shownMatch(match, detail))
  const more = matches.length - most[detail]
  return {
    ...row,
    ...(shown.length === 0 ? {} : { matches: shown }),
    ...(more > 0 && detail !== "none" ? { more } : {})
  }
}

/** A match in a text says something that was not asked for; of the others the least says only where they are. */
const shownMatch = ({ isAsked, ...match }: Match, detail: Detail): ReadonlyArray<JsonObject> => {
  if (detail !== "names" || !isAsked) return [{ ...match }]
  return match.node === undefined ? [] : [{ node: match.node }]
}

/** Bytes of a row with its comma. */
export const sizeOf = (row: Row, detail: Detail): number => jsonBytes(shownRow(row, detail)) + 1
