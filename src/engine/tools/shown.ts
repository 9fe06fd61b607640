import { Predicate, Struct } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"

/** What a caller sees of a thing: all but `shared`, which names its owners and their addresses. */
export const shown = (thing: JsonObject): JsonObject => Struct.omit(thing, ["shared"])

/** A workflow in a list: what identifies it, and how many nodes it has. */
export const summary = ({
  active,
  createdAt,
  id,
  isArchived,
  name,
  nodes,
  tags,
  updatedAt
}: JsonObject): JsonObject => ({
  id,
  name,
  active,
  createdAt,
  updatedAt,
  ...(Array.isArray(nodes) ? { nodes: nodes.length } : Predicate.isNumber(nodes) ? { nodes } : {}),
  ...(Array.isArray(tags) ? { tags: tags.filter(Predicate.isObject).map(tagSummary) } : {}),
  ...(isArchived === true ? { isArchived } : {})
})

const tagSummary = (tag: object): JsonObject => {
  const { id, name }: JsonObject = { ...tag }
  return { id, name }
}
