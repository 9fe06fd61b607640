import { Predicate, Struct } from "effect"

import { holdsText } from "../../internal/json/values.ts"
import { isJsonObject, type JsonObject } from "../../internal/schema/JsonObject.ts"
import { nodesOf } from "../workflow/nodes.ts"
import { isSameJson } from "../workflow/versions.ts"

/**
 * The part of a workflow that the history keeps: everything that the engine shows except owners, and the copy of what is
 * published.
 */
export const recordOf = (seen: JsonObject): JsonObject => Struct.omit(seen, ["activeVersion", "parentFolder", "shared"])

/** A reading merged into what is known: lists and answers to writes omit fields that a reading of the workflow shows. */
export const merged = (record: JsonObject | undefined, seen: JsonObject): JsonObject => ({
  ...record,
  ...recordOf(seen)
})

/** The content of a workflow: engines count and stamp, and running workflows store data, without changing these. */
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

/** Whether two records are of the same content, including tags; an empty field equals a missing one. */
export const isSameRecord = (a: JsonObject, b: JsonObject): boolean =>
  counted.every((field) => isSameJson(filled(a[field]), filled(b[field]))) && isSameJson(tagIds(a), tagIds(b))

/** Whether two records differ in nothing but the ids of their nodes, which are nothing that a workflow does. */
export const isSameButForIds = (a: JsonObject, b: JsonObject): boolean =>
  isSameRecord({ ...a, nodes: nodesWithoutIds(a) }, { ...b, nodes: nodesWithoutIds(b) })

/** The nodes of a record without their ids. */
export const nodesWithoutIds = (record: JsonObject): ReadonlyArray<JsonObject> =>
  nodesOf(record).map((node) => Struct.omit(node, ["id"]))

/** Whether a record only adds fields to another one, which was made from an incomplete answer. */
export const isCompletion = (before: JsonObject, record: JsonObject): boolean =>
  isSameRecord(before, { ...record, ...Object.fromEntries(leftOpen(before).map((field) => [field, null])) })

/** Whether a record was made from incomplete answers: lists omit pinned data and descriptions. */
export const isIncomplete = (record: JsonObject): boolean =>
  !("pinData" in record) || ("activeVersionId" in record && !("description" in record))

const leftOpen = (record: JsonObject) => counted.filter((field) => !(field in record))

const filled = (value: unknown): unknown => {
  if (Predicate.isObject(value) && Object.keys(value).length === 0) return null
  return (Array.isArray(value) && value.length === 0) || value === undefined ? null : value
}

/** The ids of a workflow's tags, in alphabetical order. */
export const tagIds = ({ tags }: JsonObject): ReadonlyArray<string> =>
  Array.isArray(tags) ? tags.flatMap((tag: unknown) => (hasId(tag) ? [String(tag.id)] : [])).toSorted() : []

const hasId = (tag: unknown): tag is { readonly id: unknown } => Predicate.hasProperty(tag, "id")

/** Whether a record is newer than a reading, according to the engine's stamps. */
export const isNewer = (record: JsonObject | undefined, seen: JsonObject): boolean =>
  Predicate.isString(record?.updatedAt) && Predicate.isString(seen.updatedAt) && record.updatedAt > seen.updatedAt

/**
 * Fields that change with nearly every write, so that equal stamps need no comparison: engines return them with every reading.
 */
export const stampOf = (seen: JsonObject): string =>
  JSON.stringify([seen.updatedAt, seen.versionId, seen.active, seen.isArchived, seen.name, tagIds(seen)])

/** The record with this server's secrets removed. */
export const withoutSecrets = (record: JsonObject, secrets: ReadonlyArray<string>): JsonObject => {
  const present = secrets.filter((secret) => secret.length >= 8 && holdsText(record, secret))
  if (present.length === 0) return record
  const cleaned = replaced(record, (text) => present.reduce((left, secret) => left.replaceAll(secret, leftOut), text))
  return isJsonObject(cleaned) ? cleaned : record
}

/** Replaces a key of this server. */
const leftOut = "[key left out of the history]"

const replaced = (value: unknown, change: (text: string) => string): unknown => {
  if (Predicate.isString(value)) return change(value)
  if (Array.isArray(value)) return value.map((item: unknown) => replaced(item, change))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [change(name), replaced(item, change)]))
}
