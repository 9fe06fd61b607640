import { clipped } from "../../internal/clipped.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { differences } from "../workflow/difference.ts"

/** Changes that a line names. */
const most = 5

/** Characters of a line. */
const longest = 400

/** What sets two records of a workflow apart, in a line. */
export const describe = (before: JsonObject, after: JsonObject): string => {
  const changes = differences(before, after, { positions: true, ids: true })
  if (changes.length === 0) return "changed"
  const texts = changes.slice(0, most).map(({ text }) => text.split("\n")[0] ?? "")
  const all = [...texts, ...(changes.length > most ? [`${changes.length - most} more`] : [])].join("; ")
  return clipped(all, longest)
}
