import { Struct } from "effect"

import { isSameJson } from "../../internal/json/digest.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { nodeType, toEngineType } from "./naming.ts"
import { nameOf } from "./nodes.ts"
import { compareVersions, frozenFrom } from "./releases.ts"

const frozenTypes = new Set(["function", "functionItem"].map(nodeType))

/** Whether some engine freezes the type of a node. */
export const isOfFrozenType = ({ type }: JsonObject): boolean => frozenTypes.has(toEngineType(String(type)))

/**
 * The names of the nodes that an engine of a version refuses: those of a frozen type that are new by their id or changed, but
 * for their place. None where the version is not known.
 */
export const frozenNodes = (
  nodes: ReadonlyArray<JsonObject>,
  version: string | undefined,
  present: ReadonlyArray<JsonObject> = []
): ReadonlyArray<string> => {
  if (version === undefined || compareVersions(version, frozenFrom) < 0) return []
  const presentById = new Map(present.map((node) => [node.id, node]))
  return nodes.filter((node) => isOfFrozenType(node) && !isUntouched(node, presentById.get(node.id))).map(nameOf)
}

const isUntouched = (node: JsonObject, before: JsonObject | undefined): boolean =>
  before !== undefined && isSameJson(Struct.omit(node, ["position"]), Struct.omit(before, ["position"]))

/** The advice to whoever meets such nodes. */
export const frozenAdvice = "plan_upgrade rewrites them as nodes that it takes; a run may mock them"
