import { Predicate } from "effect"

import { isJsonObject, type JsonObject, listOf, objectOf, objectsOf, textOf } from "../../internal/schema/JsonObject.ts"
import type {
  Choice,
  Conditions,
  CredentialUse,
  DisplayOptions,
  Group,
  IndexEntry,
  NodeType,
  Port,
  Property
} from "./NodeType.ts"

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
  const newest = all.find((one) => one.versions.includes(one.defaultVersion)) ?? first
  return newest ?? nothing
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

/** Longest description that is kept, in characters. */
const longest = 160

/**
 * A node type as engines and their packages describe it, reduced to what is checked, found or filled in. Nothing where
 * it has no name or no version.
 */
const reduceNodeType = (given: unknown, prefix = ""): NodeType | undefined => {
  const described = objectOf(given)
  const name = textOf(described.name)
  const versions = numbersOf(described.version)
  const newest = versions.at(-1)
  if (name === "" || newest === undefined) return undefined
  const hints = objectOf(described.builderHint)
  const [inputs, outputs] = [ports(described.inputs, hints.inputs), ports(described.outputs, hints.outputs)]
  return {
    type: prefix + name,
    title: textOf(described.displayName),
    description: plain(described.description),
    versions,
    defaultVersion: Predicate.isNumber(described.defaultVersion) ? described.defaultVersion : newest,
    isTrigger: textsOf(described.group).includes("trigger"),
    ...(described.hidden === true ? { isHidden: true } : {}),
    ...(described.deprecated === true ? { isDeprecated: true } : {}),
    ...(Predicate.isString(described.replacedByNodeType) ? { replacedBy: described.replacedByNodeType } : {}),
    ...(described.properties === undefined ? { isBare: true } : {}),
    ...(described.usableAsTool === undefined || described.usableAsTool === false ? {} : { asTool: true }),
    inputs,
    outputs,
    ...(Predicate.isString(described.inputs) ? { hasDynamicInputs: true } : {}),
    ...(Predicate.isString(described.outputs) ? { hasDynamicOutputs: true } : {}),
    credentials: objectsOf(described.credentials).map(credential),
    properties: properties(described.properties)
  }
}

const credential = (given: JsonObject): CredentialUse => ({
  name: textOf(given.name),
  ...(given.required === true ? { required: true } : {}),
  ...displayOptionsOf(given)
})

/** Without the marks of a page, and no longer than a line. */
const plain = (text: unknown): string => {
  const words = textOf(text)
    .replace(/<[^<>]{0,300}>/g, "")
    .replace(/\s+/g, " ")
    .trim()
  return words.length <= longest ? words : `${words.slice(0, longest - 1)}…`
}

const conditions = (given: unknown): Conditions =>
  Object.fromEntries(
    Object.entries(objectOf(given)).flatMap(([name, values]) => (Array.isArray(values) ? [[name, values]] : []))
  )

const displayOptionsOf = ({ displayOptions }: JsonObject): DisplayOptions => {
  const { hide, show } = objectOf(displayOptions)
  return {
    ...(isJsonObject(show) ? { show: conditions(show) } : {}),
    ...(isJsonObject(hide) ? { hide: conditions(hide) } : {})
  }
}

const properties = (given: unknown): ReadonlyArray<Property> =>
  objectsOf(given)
    .filter(({ name }) => Predicate.isString(name) && name !== "")
    .map(property)

const property = (given: JsonObject): Property => {
  const type = textOf(given.type)
  const typeOptions = objectOf(given.typeOptions)
  const description = plain(given.description)
  return {
    name: textOf(given.name),
    title: textOf(given.displayName),
    type,
    ...(given.default === undefined || given.default === "" || isDecoration(type) ? {} : { default: given.default }),
    ...(given.required === true ? { required: true } : {}),
    ...(description === "" ? {} : { description }),
    ...(isDynamic(typeOptions) ? { isDynamic: true } : {}),
    ...(typeOptions.multipleValues === true ? { isMultiple: true } : {}),
    ...(type === "resourceMapper" && needsMatch(given.name, typeOptions) ? { needsMatch: true } : {}),
    ...parts(type, given),
    ...displayOptionsOf(given)
  }
}

/** Whether a form only shows this kind of parameter to people, though some engines keep its name. */
export const isDecoration = (type: string) => ["notice", "callout", "button", "curlImport"].includes(type)

const needsMatch = (name: unknown, { resourceMapper }: JsonObject) =>
  name === "columns" && ["update", "upsert"].includes(textOf(objectOf(resourceMapper).mode))

const isDynamic = (typeOptions: JsonObject) =>
  typeOptions.loadOptionsMethod !== undefined || typeOptions.loadOptions !== undefined

const parts = (type: string, { modes, options }: JsonObject): Partial<Property> => {
  if (type === "collection") return { fields: properties(options) }
  if (type === "fixedCollection") return { groups: objectsOf(options).map(group) }
  if (type === "options" || type === "multiOptions") return { choices: objectsOf(options).map(choice) }
  return modes === undefined ? {} : { modes: objectsOf(modes).map(({ name }) => textOf(name)) }
}

const group = (given: JsonObject): Group => ({
  name: textOf(given.name),
  title: textOf(given.displayName),
  fields: properties(given.values)
})

const choice = (given: JsonObject): Choice => ({
  value: given.value,
  title: textOf(given.name),
  ...(Predicate.isString(given.action) ? { action: given.action } : {}),
  ...displayOptionsOf(given)
})

/** Inputs or outputs. Where an expression decides, every type that it names may be there. */
const ports = (given: unknown, hints: unknown): ReadonlyArray<Port> => {
  if (!Predicate.isString(given)) return listOf(given).flatMap(port)
  const hinted = Object.entries(objectOf(hints)).map(([type, hint]) => ({
    type,
    ...(objectOf(hint).required === true ? { required: true } : {}),
    ...displayOptionsOf(objectOf(hint))
  }))
  const named = [...new Set(given.match(/\bai_[A-Za-z]+\b/g) ?? [])].filter((type) =>
    hinted.every((hint) => hint.type !== type)
  )
  return [...hinted, ...["main", ...named].map((type) => ({ type }))]
}

const port = (given: unknown): ReadonlyArray<Port> => {
  if (Predicate.isString(given)) return [{ type: given }]
  const { filter, maxConnections, required, type } = objectOf(given)
  if (!Predicate.isString(type)) return []
  const only = textsOf(objectOf(filter).nodes)
  return [
    {
      type,
      ...(required === true ? { required: true } : {}),
      ...(Predicate.isNumber(maxConnections) ? { max: maxConnections } : {}),
      ...(only.length === 0 ? {} : { only })
    }
  ]
}

const textsOf = (value: unknown): ReadonlyArray<string> => listOf(value).filter(Predicate.isString)

const numbersOf = (value: unknown): ReadonlyArray<number> =>
  (Array.isArray(value) ? value : [value]).filter(Predicate.isNumber)
