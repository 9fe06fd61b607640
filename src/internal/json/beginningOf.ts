import { Predicate } from "effect"

import { isJsonObject } from "../schema/JsonObject.ts"

/** Characters of a text, and items of a list, that anything said in few words can depend on. */
const characters = 4000
const items = 50

/** A value of any size with only the beginnings of its texts and lists, which are as long as they were; itself where it is small. */
export const beginningOf = (value: unknown): unknown => {
  if (Predicate.isString(value)) return value.length > characters ? value.slice(0, characters) : value
  if (Array.isArray(value)) {
    const begun = value.map((item: unknown, at) => (at < items ? beginningOf(item) : emptied(item)))
    return begun.some((item, at) => item !== value[at]) ? begun : value
  }
  if (!isJsonObject(value)) return value
  const fields = Object.entries(value).map(([name, item]) => [name, beginningOf(item)] as const)
  return fields.some(([name, item]) => item !== value[name]) ? Object.fromEntries(fields) : value
}

const emptied = (item: unknown): unknown => (Predicate.isString(item) ? "" : isJsonObject(item) ? {} : null)
