import { Predicate, Schema, SchemaTransformation } from "effect"

import { isSameJson } from "../../internal/json/digest.ts"
import { isJsonObject, listOf, objectOf } from "../../internal/schema/JsonObject.ts"
import { nameOf } from "../workflow/nodes.ts"
import { Change } from "./Change.ts"

/** An update with something else in place of its nodes after it; any other change as it is. */
const withNodesAfter = (
  change: unknown,
  nodesOf: (after: ReadonlyArray<unknown>, before: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
): unknown => {
  if (!isJsonObject(change) || change.kind !== "update" || !isJsonObject(change.after)) return change
  const before = listOf(objectOf(change.before).nodes)
  if (before.length === 0) return change
  return { ...change, after: { ...change.after, nodes: nodesOf(listOf(change.after.nodes), before) } }
}

/** In place of nodes that an update leaves as they are: where they stand before it. */
const folded = (after: ReadonlyArray<unknown>, before: ReadonlyArray<unknown>) => {
  const places = new Map(before.map((node, place) => [nameOf(objectOf(node)), place]))
  return after.map((node) => {
    const place = places.get(nameOf(objectOf(node)))
    return place !== undefined && isSameJson(before[place], node) ? place : node
  })
}

const unfolded = (after: ReadonlyArray<unknown>, before: ReadonlyArray<unknown>) =>
  after.map((node): unknown => (Predicate.isNumber(node) ? before[node] : node))

const anyJson: Schema.Codec<Change, unknown> = Change

/** A change as journals hold it: nodes that an update does not touch are written, and kept in memory, once. */
export const WrittenChange: Schema.Codec<Change, unknown> = Schema.Unknown.pipe(
  Schema.decodeTo(
    Schema.Unknown,
    SchemaTransformation.transform<unknown, unknown>({
      decode: (change) => withNodesAfter(change, unfolded),
      encode: (change) => withNodesAfter(change, folded)
    })
  ),
  Schema.decodeTo(anyJson)
)
