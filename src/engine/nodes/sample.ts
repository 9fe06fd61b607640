import { Predicate } from "effect"

import { isRecord } from "./json.ts"

/** Names under which people write what nobody else should read. */
const secretName = /pass(?:word|phrase)?$|secret|token|api[-_]?key|authorization|cookie|credential|private[-_]?key/i

/** Values that are secret wherever they stand. */
const secretValue =
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}|\beyJ[\w-]{10,}\.[\w-]{10,}|\b(?:sk|pk|xox[abp]|ghp|gho)[-_][\w-]{10,}/g

/** Longest text, longest list and deepest object of a sample. */
const most = { text: 160, items: 3, depth: 5 }

/** A value as an example for others: cut where it is long, and without what looks like a secret. */
export const sampleOf = (value: unknown, name = "", depth = 0): unknown => {
  if (Predicate.isString(value)) {
    if (secretName.test(name) && value !== "" && !value.startsWith("=")) return "***"
    const masked = value.replace(secretValue, "***")
    return masked.length <= most.text ? masked : `${masked.slice(0, most.text)}…`
  }
  if (Predicate.isNumber(value) || Predicate.isBoolean(value) || value === null || value === undefined) return value
  if (depth >= most.depth) return "…"
  if (Array.isArray(value)) {
    const shown = value.slice(0, most.items).map((item) => sampleOf(item, name, depth + 1))
    return value.length > most.items ? [...shown, `… ${value.length - most.items} more`] : shown
  }
  if (!isRecord(value)) return "…"
  // A header or a field of a form stands as a pair of its name and its value.
  const own = Predicate.isString(value.name) ? value.name : ""
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, sampleOf(one, key === "value" ? own : key, depth + 1)])
  )
}
