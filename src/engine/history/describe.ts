import { clipped } from "../../internal/foreignText.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { differences } from "../workflow/difference.ts"

/** Most changes in a line. */
const most = 5

/** Most characters in a line. */
const longest = 400

/** The differences between two records of a workflow, in a line. */
export const describe = (before: JsonObject, after: JsonObject): string => {
  const changes = differences(before, after, { positions: true, webhooks: true })
  if (changes.length === 0) return "changed"
  const texts = changes.slice(0, most).map(({ text }) => text.split("\n")[0] ?? "")
  const all = [...texts, ...(changes.length > most ? [`${changes.length - most} more`] : [])].join("; ")
  return clipped(all, longest)
}
