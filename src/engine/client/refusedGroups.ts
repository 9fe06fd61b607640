import { Predicate } from "effect"

import { isJsonObject, type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"
import type { EngineError } from "./EngineError.ts"

/** Groups of nodes, the frames on the canvas, without nodes that do not exist; groups that become empty are dropped. */
export const groupsAmong = (
  groups: ReadonlyArray<unknown>,
  nodes: ReadonlyArray<JsonObject>
): ReadonlyArray<unknown> => {
  const ids = new Set(nodes.map(({ id }) => id))
  return groups.flatMap((group) => {
    if (!isJsonObject(group) || !Array.isArray(group.nodeIds)) return [group]
    const members = group.nodeIds.filter((id: unknown) => ids.has(id))
    if (members.length === group.nodeIds.length) return [group]
    return members.length === 0 ? [] : [{ ...group, nodeIds: members }]
  })
}

/**
 * The first group that an engine refuses: it accepts only groups whose nodes are connected, whatever else is changed, and names
 * one that is not.
 */
export const refusedGroup = (error: EngineError, groups: unknown): JsonObject | undefined =>
  error._tag === "ApiError" && error.httpStatus === 400 && /\bgroups? "|\bgroup ID "/i.test(error.problem)
    ? objectsOf(groups).find(
        ({ id, name }) =>
          error.problem.includes(`roup ${JSON.stringify(name)}`) ||
          error.problem.includes(`groups: ${JSON.stringify(name)}`) ||
          error.problem.includes(`group name ${JSON.stringify(name)}`) ||
          error.problem.includes(`group ID ${JSON.stringify(id)}`)
      )
    : undefined

/** A group as answers name it. */
export const groupPath = ({ name }: JsonObject): string => `nodeGroups.${Predicate.isString(name) ? name : "?"}`
