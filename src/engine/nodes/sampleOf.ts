import { Predicate } from "effect"

import { clipped } from "../../internal/foreignText.ts"
import { isJsonObject } from "../../internal/schema/JsonObject.ts"
import { maskSecrets } from "../../internal/secrets/maskSecrets.ts"

/** Longest text, longest list and deepest object of a sample. */
const most = { text: 160, items: 3, depth: 6 }

/** A value as an example for others: without secrets, and cut where it is long. */
export const sampleOf = (value: unknown): unknown => shorten(maskSecrets(value), 0)

const shorten = (value: unknown, depth: number): unknown => {
  if (Predicate.isString(value)) return clipped(value, most.text)
  if (!Predicate.isObjectOrArray(value)) return value
  if (depth >= most.depth) return "…"
  if (Array.isArray(value)) {
    const shown = value.slice(0, most.items).map((item) => shorten(item, depth + 1))
    return value.length > most.items ? [...shown, `… ${value.length - most.items} more`] : shown
  }
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shorten(one, depth + 1)]))
    : "…"
}
