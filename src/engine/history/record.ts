import { Predicate, Struct } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { isSameJson } from "../client/versions.ts"

/** What the history keeps of a workflow: all that the engine shows but owners, and the repetition of what is published. */
export const recordOf = (seen: JsonObject): JsonObject => Struct.omit(seen, ["activeVersion", "parentFolder", "shared"])

/** A reading over what is known: lists and answers of writes leave out fields that a reading of the workflow shows. */
export const merged = (known: JsonObject | undefined, seen: JsonObject): JsonObject => ({ ...known, ...recordOf(seen) })

/** What a workflow is and does. Engines count and stamp, and running workflows keep data, without a change of these. */
const counted = [
  "name",
  "description",
  "active",
  "isArchived",
  "nodes",
  "connections",
  "settings",
  "pinData",
  "nodeGroups"
] as const

/** Whether two records stand for the same workflow, tags included; an empty field is one that is not there. */
export const isSameRecord = (a: JsonObject, b: JsonObject): boolean =>
  counted.every((field) => isSameJson(filled(a[field]), filled(b[field]))) && isSameJson(tagIds(a), tagIds(b))

const filled = (value: unknown): unknown => {
  if (Predicate.isObject(value) && Object.keys(value).length === 0) return null
  return (Array.isArray(value) && value.length === 0) || value === undefined ? null : value
}

/** The ids of a workflow's tags, in alphabetical order. */
export const tagIds = ({ tags }: JsonObject): ReadonlyArray<string> =>
  Array.isArray(tags) ? tags.flatMap((tag: unknown) => (hasId(tag) ? [String(tag.id)] : [])).toSorted() : []

const hasId = (tag: unknown): tag is { readonly id: unknown } => Predicate.hasProperty(tag, "id")

/** What moves with nearly every change, so that equal ones need no second look: engines give it with every reading. */
export const stampOf = (seen: JsonObject): string =>
  JSON.stringify([seen.updatedAt, seen.versionId, seen.active, seen.isArchived, seen.name, tagIds(seen)])
