import { Predicate } from "effect"

import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import type { Tables } from "../store/Store.ts"

/** A node with the actual names of its credentials: found by their ids, or else by name and type. */
export const withNamedCredentials = (node: JsonObject, { credentials }: Pick<Tables, "credentials">): JsonObject => {
  const { credentials: given } = node
  if (!isJsonObject(given)) return node
  const all = [...credentials.values()]
  const named = Object.entries(given).map(([type, value]) => {
    const { id, name } = isJsonObject(value) ? value : { id: undefined, name: value }
    const byId = all.find((one) => one.type === type && one.id === id)
    const byName = Predicate.isString(name) ? all.filter((one) => one.type === type && one.name === name) : []
    const found = byId ?? (byName.length === 1 ? byName[0] : undefined)
    return [type, found === undefined ? value : { id: found.id, name: found.name }] as const
  })
  return { ...node, credentials: Object.fromEntries(named) }
}
