import { Predicate, Struct } from "effect"

import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import type { Changes, Creation } from "../client/body.ts"
import { differences, type Change } from "../workflow/difference.ts"
import type { Workflow } from "../workflow/models.ts"
import { nodesOf } from "../workflow/nodes.ts"
import { isSameJson } from "../workflow/versions.ts"
import { nodesWithoutIds } from "./record.ts"

/** The changes that make a workflow equal to a record again; none if its content is the same. */
export const changesTo = (record: JsonObject, current: Workflow): Changes => {
  const isOther = (field: string) => field in record && !isSameJson(record[field] ?? null, current[field] ?? null)
  const settings = objectOf(record.settings)
  return {
    ...(isOther("name") && Predicate.isString(record.name) ? { name: record.name } : {}),
    ...(isOther("nodes") && !isSameJson(nodesWithoutIds(record), nodesWithoutIds(current))
      ? { nodes: nodesOf(record) }
      : {}),
    ...(isOther("connections") && isJsonObject(record.connections) ? { connections: record.connections } : {}),
    ...(isOther("settings") ? { settings, replacesSettings: true } : {}),
    ...(isOther("pinData") ? { pinData: record.pinData ?? {} } : {}),
    ...(isOther("nodeGroups") ? { nodeGroups: record.nodeGroups ?? [] } : {}),
    ...(isOther("description") ? { description: record.description ?? "" } : {})
  }
}

/** The workflow to create if it is gone. */
export const creationOf = (record: JsonObject): Creation => ({
  name: Predicate.isString(record.name) ? record.name : "",
  nodes: nodesOf(record),
  connections: objectOf(record.connections),
  settings: objectOf(record.settings),
  staticData: record.staticData,
  ...(record.pinData === undefined ? {} : { pinData: record.pinData }),
  ...(Array.isArray(record.nodeGroups) && record.nodeGroups.length > 0 ? { nodeGroups: record.nodeGroups } : {})
})

/** The tags in a record, by id and name. */
export const tagsIn = ({ tags }: JsonObject): ReadonlyArray<{ readonly id: string; readonly name: string }> =>
  Array.isArray(tags)
    ? tags.filter(isJsonObject).map(({ id, name }) => ({ id: String(id), name: Predicate.isString(name) ? name : "" }))
    : []

/** The differences between a workflow and the record that it should equal. */
export const differencesFrom = (current: JsonObject, record: JsonObject): ReadonlyArray<Change> =>
  differences(Struct.omit(current, ["id"]), { ...Struct.omit(record, ["id"]), active: record.active === true })
