import { objectOf } from "../../internal/schema/JsonObject.ts"
import { textsOf } from "./json.ts"
import type { IndexEntry, NodeType, Property } from "./NodeType.ts"
import { reduceNodeType } from "./reduceNodeType.ts"

/** A type with all its versions, and the line of the list by which it is found. */
export interface Collected {
  readonly entry: IndexEntry
  readonly versions: ReadonlyArray<NodeType>
}

/**
 * The node types of a description, one of each name. `prefix` is what their names lack. Those that engines derive from
 * others, so that agents can use them, are left out: `asTool` says it.
 */
export const collectNodeTypes = (described: ReadonlyArray<unknown>, prefix = ""): ReadonlyArray<Collected> => {
  const types = new Map<string, Array<NodeType>>()
  const aliases = new Map<string, ReadonlySet<string>>()
  for (const given of described) {
    const reduced = reduceNodeType(given, prefix)
    if (reduced === undefined) continue
    const { type } = reduced
    types.set(type, [...(types.get(type) ?? []), reduced])
    aliases.set(type, new Set([...(aliases.get(type) ?? []), ...textsOf(objectOf(objectOf(given).codex).alias)]))
  }
  const isDerived = (type: string) =>
    type.endsWith("Tool") && types.get(type.slice(0, -"Tool".length))?.some(({ asTool }) => asTool === true) === true
  return [...types]
    .filter(([type]) => !isDerived(type))
    .map(([type, versions]) => ({ entry: entryOf(versions, [...(aliases.get(type) ?? [])]), versions }))
}

const entryOf = (versions: ReadonlyArray<NodeType>, alias: ReadonlyArray<string>): IndexEntry => {
  const newest = newestOf(versions)
  const { asTool, defaultVersion, isBare, description, isHidden, isTrigger, outputs, properties, title, type } = newest
  return {
    type,
    title,
    description,
    ...(isTrigger ? { isTrigger } : {}),
    ...(isHidden === true ? { isHidden } : {}),
    ...(asTool === true ? { asTool } : {}),
    ...(isBare === true ? { isBare } : {}),
    versions: versions.flatMap((one) => one.versions).toSorted((a, b) => a - b),
    defaultVersion,
    alias,
    gives: [...new Set(outputs.map((port) => port.type))].filter((port) => port !== "main"),
    actions: properties.flatMap(actionsOf)
  }
}

const actionsOf = ({ choices = [], name, show }: Property): IndexEntry["actions"] => {
  if (name !== "operation") return []
  const resources = textsOf(show?.resource)
  return choices.flatMap(({ action, title, value }) =>
    (resources.length === 0 ? [undefined] : resources).map((resource) => ({
      ...(resource === undefined ? {} : { resource }),
      operation: String(value),
      words: action ?? title
    }))
  )
}

/** The description that holds for the version that the editor takes, else the last one. */
const newestOf = (versions: ReadonlyArray<NodeType>): NodeType => {
  const [first, ...others] = versions.toSorted((a, b) => Math.max(...b.versions) - Math.max(...a.versions))
  const all = first === undefined ? [] : [first, ...others]
  const found = all.find((one) => one.versions.includes(one.defaultVersion)) ?? first
  return found ?? nothing
}

const nothing: NodeType = {
  type: "",
  title: "",
  description: "",
  versions: [],
  defaultVersion: 1,
  isTrigger: false,
  inputs: [],
  outputs: [],
  credentials: [],
  properties: []
}
