import { Struct } from "effect"

import { isSameJson } from "../../internal/json/digest.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { nodeType, toEngineType } from "./naming.ts"
import { nameOf } from "./nodes.ts"

/** The numbers of a version: `2.41.1`, `3.0`, `2.50.0-rc.1`. */
export const numbersOf = (version: string): ReadonlyArray<number> =>
  version
    .split(/[-+]/, 1)
    .flatMap((release) => release.split("."))
    .map(Number)

/** Negative where the first version is the older one; a number that is left out is 0. */
export const compareVersions = (a: string, b: string): number => {
  const [those, these] = [numbersOf(a), numbersOf(b)]
  for (let place = 0; place < Math.max(those.length, these.length); place++) {
    const difference = (those[place] ?? 0) - (these[place] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** The versions that the whole project is tried on, the oldest first. */
export const triedVersions = ["1.82.3", "2.41.1"] as const

/** The place of a version among those that are tried, in words; nothing where its minor is one of them. */
export const untriedPlace = (version: string): string | undefined => {
  const [oldest, newest] = triedVersions
  const minorOf = (one: string) => numbersOf(one).slice(0, 2).join(".")
  if (!/^\d+\.\d+/.test(version) || triedVersions.some((tried) => minorOf(tried) === minorOf(version))) return undefined
  if (compareVersions(version, oldest) < 0) return `is older than ${oldest}, the oldest version that is tried`
  return compareVersions(version, newest) > 0
    ? `is newer than ${newest}, the newest version that is tried`
    : `is between ${oldest} and ${newest}, the versions that are tried`
}

/** The version from which on engines freeze types before they remove them. */
export const frozenFrom = "2.42.6"

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
